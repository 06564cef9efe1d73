/*
 * The bounds of a search. They are counts, so that the same search on the same content has the same result, on any machine. docs/content.md has them
 * in a table.
 */

/** The characters of a search; Wikipedia has the same limit. */
export const MAX_QUERY_LENGTH = 300;

/** Further words are ignored: each takes time, and hardly any page has all of them. */
export const MAX_WORDS = 20;

/** Further prefixes are read as words: each stands for many. */
export const MAX_PREFIXES = 4;

/** The words of a phrase that must follow each other. Further ones may be anywhere in the page. */
export const MAX_PHRASE = 8;

/** What a search may cost, in postings: pairs of a word and a page. A search that would cost more looks at the first pages only. */
export const MAX_PRICE = 2_000_000;

/** The words for which a prefix stands if all of them would cost too much: the most frequent ones. */
export const MAX_EXPANSIONS = 64;

/** The hits that are put in order by relevance. Further ones follow in the order of their ids. */
export const MAX_ORDERED = 5_000;

/** If there are more hits, those with the words in their titles come first, up to this number. */
export const MAX_TITLED = 500;

/** The order considers so many words, the rarest ones. */
export const MAX_RANKED_WORDS = 4;

/** What the order of the hits may cost, in postings. Hits whose order would cost more are in the order of their ids. */
export const MAX_RANKING = 1_000_000;

/** The hits that are read for one response on a site that hides pages. */
export const MAX_EXAMINED = 5_000;
