/** Why text cannot be a file or the URL of a store, as the end of a sentence. A name with a line break would be that of another, new file. */
export const oneLineProblem = (text: string): string | undefined => {
  if (text !== text.trim()) return 'begins or ends with white space; does it end with a line break?';
  return /\p{Cc}/u.test(text) ? 'contains a control character, such as a line break' : undefined;
};
