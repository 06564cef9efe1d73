type Split<T extends string> = T extends `${infer Word} ${infer Rest}` ? readonly [Word, ...Split<Rest>] : readonly [T];

type SplitAll<T extends readonly string[]> = T extends readonly [
  infer First extends string,
  ...infer Rest extends readonly string[],
]
  ? readonly [...Split<First>, ...SplitAll<Rest>]
  : readonly [];

/** The words of texts, which are separated by single spaces: long lists of values, with their literal types. */
export const words = <const T extends readonly string[]>(...texts: T): SplitAll<T> =>
  // The type splits the texts in the same way.
  texts.flatMap((text) => text.split(' ')) as unknown as SplitAll<T>;
