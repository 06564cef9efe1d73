/** Characters that are written as themselves in JSON too. See {@link HIDDEN}. */
const HIDDEN_BEYOND_ASCII = String.raw`\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}`;

/**
 * Characters that a reader does not see, or that change how other characters look: controls except tab and line feed, marks that turn the
 * direction of text, spaces without width, tags, supplementary variation selectors, unpaired surrogates. Joiners stay, because some scripts need
 * them, and so do the selectors of emoji.
 */
const HIDDEN = new RegExp(String.raw`[\0-\x08\x0b-\x1f\p{Cs}${HIDDEN_BEYOND_ASCII}]`, 'gu');

/** The same in JSON, where controls and unpaired surrogates are escapes. Also finds a backslash before one of these letters, which only costs time. */
const HIDDEN_IN_JSON = new RegExp(String.raw`\\[bfru]|[${HIDDEN_BEYOND_ASCII}]`, 'u');

/** A text without {@link HIDDEN} characters. */
export const visibleText = (text: string): string => text.replace(HIDDEN, '');

/** Data whose texts have no {@link HIDDEN} characters, and the same data as JSON. */
export interface Visible {
  readonly data: Readonly<Record<string, unknown>>;
  readonly json: string;
}

/** Removes {@link HIDDEN} characters from all texts, including the names of members. */
export const visible = (data: Readonly<Record<string, unknown>>): Visible => {
  const json = JSON.stringify(data);
  // Most data have none, and a search through the JSON is much faster than a copy of every object.
  if (!HIDDEN_IN_JSON.test(json)) return { data, json };
  const copy = Object(visibleValue(data));
  return { data: copy, json: JSON.stringify(copy) };
};

const visibleValue = (value: unknown): unknown => {
  if (typeof value === 'string') return visibleText(value);
  if (typeof value !== 'object' || value === null) return value;
  if ('toJSON' in value && typeof value.toJSON === 'function') return visibleValue(value.toJSON());
  if (Array.isArray(value)) return value.map(visibleValue);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [visibleText(name), visibleValue(member)]));
};

/** The beginning of a text that is at most this long when it is written as JSON. Never splits a surrogate pair. */
export const beginningOf = (text: string, most: number): string => {
  let size = Math.min(text.length, most);
  for (;;) {
    const last = text.charCodeAt(size - 1);
    if (size < text.length && last >= 0xd800 && last <= 0xdbff) size -= 1;
    const piece = text.slice(0, size);
    const { length } = JSON.stringify(piece);
    if (length <= most + 2) return piece;
    size = Math.floor((size * most) / length);
  }
};

/** An object as JSON, with one more member at its end whose value is JSON already. */
export const jsonWith = (object: object, name: string, json: string): string => {
  const others = JSON.stringify(object).slice(0, -1);
  return `${others}${others === '{' ? '' : ','}${JSON.stringify(name)}:${json}}`;
};
