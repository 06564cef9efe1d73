/** A leading U+001F makes it the separator, so that values may contain a bar. */
export const SEPARATOR = '\u001f';

/**
 * Splits a multi-valued parameter. An empty text has no values; empty parts between separators are values.
 *
 * @param most - Splitting stops after this many values; more are an error in any case.
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
 * Joins values, as the inverse of `splitValues`. A single empty value has no such form and becomes `|`, which is two
 * empty values.
 */
export const joinValues = (values: readonly string[]): string => {
  if (values.length === 1 && values[0] === '') return '|';
  return values.some((value) => value.includes('|')) ? SEPARATOR + values.join(SEPARATOR) : values.join('|');
};
