/**
 * Characters that a reader does not see, or that change what a reader sees of others: controls but tab and line feed, marks that turn the
 * direction of text, spaces without width, tags, the supplement of variation selectors, halves of pairs. Joiners stay, which some scripts are
 * written with, and so do the selectors of emoji.
 */
const HIDDEN =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}\p{Cs}]/gu;

/** A text of the content, without what only a machine reads. */
export const visibleText = (text: string): string => text.replace(HIDDEN, '');

/** Data with all texts in them as {@link visibleText}, names of members included. */
export const visibleData = (value: unknown): unknown => {
  if (typeof value === 'string') return visibleText(value);
  if (typeof value !== 'object' || value === null) return value;
  if ('toJSON' in value && typeof value.toJSON === 'function') return visibleData(value.toJSON());
  if (Array.isArray(value)) return value.map(visibleData);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [visibleText(name), visibleData(member)]));
};

/** The beginning of a text, so long as it stays within a length when it is written as JSON, and never half a character. */
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
