/** U+001F at the start of a value makes it the separator, so that values may contain a bar. */
export const SEPARATOR = '\u001f';

/**
 * Splits a multi-valued parameter. Empty text is no value at all; empty pieces between separators are values.
 *
 * @param most - Splitting stops after this many pieces: who sends more than the limit is refused for the count alone.
 */
export const splitValues = (text: string, most: number): string[] => {
  if (text === '' || text === SEPARATOR) return [];
  const explicit = text.charCodeAt(0) === 0x1f;
  const separator = explicit ? SEPARATOR : '|';
  const values: string[] = [];
  let start = explicit ? 1 : 0;
  while (values.length < most) {
    const end = text.indexOf(separator, start);
    values.push(end < 0 ? text.slice(start) : text.slice(start, end));
    if (end < 0) break;
    start = end + 1;
  }
  return values;
};

/**
 * Joins values so that `splitValues` gives them back. The one list that cannot come back is a single empty value:
 * `|` is the nearest thing, and reads as two.
 */
export const joinValues = (values: readonly string[]): string => {
  if (values.length === 1 && values[0] === '') return '|';
  return values.some((value) => value.includes('|')) ? SEPARATOR + values.join(SEPARATOR) : values.join('|');
};
