/**
 * Content for the query API: a source provides pages, revisions and links, from which modules are answered.
 *
 * @module oauth-query/content
 */

export { contentQuery, type ContentQueryOptions } from './content-query.js';
export type { Asking, VisiblePages } from './content.js';
export { memoryContent, type MemoryContentOptions, type MemoryPage, type MemoryRevision } from './memory/index.js';
export type {
  BacklinkRow,
  CategorySizes,
  ContentBacklinkRange,
  ContentCall,
  ContentFile,
  ContentHistoryRange,
  ContentLink,
  ContentLinkRange,
  ContentLogEntry,
  ContentLogRange,
  ContentMarkup,
  ContentMemberRange,
  ContentPage,
  ContentPageQuery,
  ContentPageRange,
  ContentRange,
  ContentRevision,
  ContentRevisionQuery,
  ContentSearch,
  ContentSearchResult,
  ContentSource,
  ContentTargetRange,
  ContentTitle,
  ContentUser,
  ContentUserRange,
  LinkKind,
  LinkRow,
  MemberRow,
  SearchHit,
  ShuffledPage,
} from './source.js';
export { sortkeyOf, urlTarget } from './keys.js';
