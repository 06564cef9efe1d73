import type { ContentSearch } from 'oauth-query/content';

const NO_TERMS = { words: [], phrases: [], prefixes: [] };

/** A search in the main namespace, with what a test is about. */
export const searchFor = (about: Partial<ContentSearch>): ContentSearch => ({
  ...NO_TERMS,
  ...{ without: NO_TERMS, titles: false, namespaces: [0], offset: 0, limit: 10, caller: undefined },
  ...about,
});
