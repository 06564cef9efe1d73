/** Characters that nobody sees, that end a line, that change the direction of text, or that control a terminal. */
const HIDDEN = String.raw`\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\ufffc\u{1d159}`;

const EACH_HIDDEN = new RegExp(`[${HIDDEN}]`, 'gu');

/** Most text; this test takes a fraction of the other. */
const PLAIN = /^[\x20-\x7e]*$/;

/** Written as in JSON, so that JSON stays JSON. */
const escaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');

/** Text from outside for logs and terminals: hidden characters are escaped. */
export const printable = (text: string): string => (PLAIN.test(text) ? text : text.replace(EACH_HIDDEN, escaped));

/** Text without hidden characters. */
export const withoutHidden = (text: string): string => text.replace(EACH_HIDDEN, '');
