/** {@link HIDDEN} characters that JSON does not escape. */
const UNESCAPED = String.raw`\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}`;

/**
 * Characters that are invisible or change how other characters are displayed: controls except tab and line feed, bidirectional controls, zero-width
 * spaces, tags, supplementary variation selectors and unpaired surrogates. Joiners and the selectors of emoji are not among them, because scripts
 * and emoji need them.
 */
const HIDDEN = new RegExp(String.raw`[\0-\x08\x0b-\x1f\p{Cs}${UNESCAPED}]`, 'gu');

/** Matches JSON that contains a {@link HIDDEN} character, and some JSON that does not: a backslash of a text may precede one of these letters. */
const HIDDEN_IN_JSON = new RegExp(String.raw`\\[bfru]|[${UNESCAPED}]`, 'u');

/** Removes {@link HIDDEN} characters. */
export const visibleText = (text: string): string => text.replace(HIDDEN, '');

/** Data without {@link HIDDEN} characters, and the same as JSON. */
export interface Visible {
  readonly data: Readonly<Record<string, unknown>>;
  readonly json: string;
}

/** Removes {@link HIDDEN} characters from all texts and keys. */
export const visible = (data: Readonly<Record<string, unknown>>): Visible => {
  const json = JSON.stringify(data);
  // Most data has none, and searching its JSON is much faster than copying every object.
  if (!HIDDEN_IN_JSON.test(json)) return { data, json };
  const copy = Object(visibleValue(data));
  return { data: copy, json: JSON.stringify(copy) };
};

const visibleValue = (value: unknown): unknown => {
  if (typeof value === 'string') return visibleText(value);
  if (typeof value !== 'object' || value === null) return value;
  if ('toJSON' in value && typeof value.toJSON === 'function') return visibleValue(value.toJSON());
  if (Array.isArray(value)) return value.map(visibleValue);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [visibleText(key), visibleValue(member)]));
};

/** The longest beginning of a text that has at most this length as JSON. Never splits a surrogate pair. */
export const beginningOf = (text: string, maxLength: number): string => {
  let size = Math.min(text.length, maxLength);
  for (;;) {
    const last = text.charCodeAt(size - 1);
    if (size < text.length && last >= 0xd800 && last <= 0xdbff) size -= 1;
    const beginning = text.slice(0, size);
    const { length } = JSON.stringify(beginning);
    if (length <= maxLength + 2) return beginning;
    size = Math.floor((size * maxLength) / length);
  }
};
