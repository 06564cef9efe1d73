/**
 * Content for the query API: a source provides pages, revisions and links, from which modules are answered.
 *
 * @module oauth-query/content
 */

export { contentQuery, type ContentQueryOptions } from './content-query.js';
export type { VisiblePages } from './content.js';
export { memoryContent, type MemoryContentOptions, type MemoryPage, type MemoryRevision } from './memory/index.js';
export type {
  ContentCall,
  ContentFile,
  ContentLink,
  ContentLogEntry,
  ContentPage,
  ContentPageQuery,
  ContentRange,
  ContentRevision,
  ContentRevisionQuery,
  ContentSearch,
  ContentSearchResult,
  ContentTerms,
  ContentSource,
  ContentTitle,
  ContentUser,
} from './source.js';
export { sortkeyOf, urlTarget } from './keys.js';
