/** The characters around matches in texts of the index. */
export const MARKS = { before: '\u0001', after: '\u0002' } as const;

const isMark = (character: string | undefined): boolean => character === MARKS.before || character === MARKS.after;

/** The rest of a text with marks, from a position that does not count them. */
const restOf = (text: string, start: number): string => {
  let at = 0;
  for (let count = 0; count < start; at += 1) if (!isMark(text[at])) count += 1;
  // A phrase that began before has no mark here.
  return text.slice(at).replace(/^([^\u0001\u0002]*)\u0002/, '$1');
};

/**
 * A passage of about 24 words around the first match, or the first ones.
 *
 * @param text - With marks.
 * @param start - Where its body begins, without counting marks.
 */
export const passageOf = (text: string, start: number): string => {
  const body = restOf(text, start).trim();
  const match = Math.max(body.indexOf(MARKS.before), 0);
  // A word may be as long as the text.
  const [before = ''] = /(?:\S+\s+){0,6}\S*$/.exec(body.slice(Math.max(0, match - 200), match)) ?? [];
  const [after = ''] = /^\S*(?:\s+\S+){0,18}/.exec(body.slice(match, match + 800)) ?? [];
  const isCut = after.lastIndexOf(MARKS.before) > after.lastIndexOf(MARKS.after);
  return [
    before.length < match ? '…' : '',
    before,
    after,
    isCut ? MARKS.after : '',
    match + after.length < body.length ? '…' : '',
  ].join('');
};
