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

/** A copy without {@link HIDDEN} characters in texts and keys; data that has none is returned as it is. */
export const visible = <T extends Readonly<Record<string, unknown>>>(data: T): T =>
  // Most data has none, and searching its JSON is much faster than copying every object.
  HIDDEN_IN_JSON.test(JSON.stringify(data)) ? Object(visibleValue(data)) : data;

const visibleValue = (value: unknown): unknown => {
  if (typeof value === 'string') return visibleText(value);
  if (typeof value !== 'object' || value === null) return value;
  if ('toJSON' in value && typeof value.toJSON === 'function') return visibleValue(value.toJSON());
  if (Array.isArray(value)) return value.map(visibleValue);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [visibleText(key), visibleValue(member)]));
};
