import type { Caller, ModuleHandlers, Render, SiteOptions } from '../core/query/index.js';
import type {
  BacklinkRow,
  CategorySizes,
  ContentFile,
  ContentLogEntry,
  ContentPage,
  ContentRevision,
  ContentUser,
  LinkRow,
  MemberRow,
  SearchHit,
  ShuffledPage,
} from './entities.js';
import type {
  ContentBacklinkRange,
  ContentHistoryRange,
  ContentLinkRange,
  ContentLogRange,
  ContentMemberRange,
  ContentPageQuery,
  ContentPageRange,
  ContentRevisionQuery,
  ContentShuffledRange,
  ContentTargetRange,
  ContentUserRange,
} from './ranges.js';

export type {
  ContentTitle,
  ContentPage,
  ContentRevision,
  LinkKind,
  ContentLink,
  LinkRow,
  BacklinkRow,
  MemberRow,
  CategorySizes,
  SearchHit,
  ShuffledPage,
  ContentFile,
  ContentUser,
  ContentLogEntry,
} from './entities.js';
export type {
  ContentRange,
  ContentPageQuery,
  ContentPageRange,
  ContentRevisionQuery,
  ContentHistoryRange,
  ContentLinkRange,
  ContentBacklinkRange,
  ContentTargetRange,
} from './ranges.js';

/** The markup of a content model, for `rvsection` and `prop=extracts`. */
export interface ContentMarkup {
  /**
   * The source of a section with its subsections; 0 is the text before the first heading. `undefined` if it does not
   * exist.
   */
  section(text: string, number: number): string | undefined;
  /** The text without markup, but with marked headings: `== Heading ==`. */
  plainText(text: string): string;
  /** Where the text begins after front matter, for the passages of a search. Default: 0. */
  bodyAt?(text: string): number;
}

/** The context of a call, for sources that can stop early. */
export interface ContentCall {
  /** Aborted at the deadline of the request. Created on first access. */
  readonly signal: AbortSignal;
}

/** What a function of a source returns. */
type Rows<T> = readonly T[] | Promise<readonly T[]>;

/**
 * A content source. Every function is optional: modules that require a missing one are not answered. Lists are
 * continued by keys, not offsets, and data of several pages is requested in one call. `contentContract` of
 * `oauth-query/testing` tests each function.
 *
 * A **hint** of a range is a filter of the request. A source may return rows that do not pass it, because they are
 * filtered out in any case; but then a response may end early, after 5,000 rows.
 */
export interface ContentSource {
  /** The site: its name, language, namespaces. The host's options take precedence. */
  readonly site?: SiteOptions;
  /** The pages with these titles, ids or revision ids, in any order. Pages that it does not return do not exist. */
  pages?(query: ContentPageQuery, call: ContentCall): Rows<ContentPage>;
  /** The pages of a namespace by title. */
  pageRange?(range: ContentPageRange, call: ContentCall): Rows<ContentPage>;
  /** All pages in a fixed random order: by a number below 2^31, then by id. */
  shuffled?(range: ContentShuffledRange, call: ContentCall): Rows<ShuffledPage>;
  /** The revisions with these ids, in any order. */
  revisions?(query: ContentRevisionQuery, call: ContentCall): Rows<ContentRevision>;
  /** Revisions by time, then by id. */
  history?(range: ContentHistoryRange, call: ContentCall): Rows<ContentRevision>;
  /** Log entries by time, then by id. */
  log?(range: ContentLogRange, call: ContentCall): Rows<ContentLogEntry>;
  /** The links of these pages, by page, namespace and title. */
  links?(range: ContentLinkRange, call: ContentCall): Rows<LinkRow>;
  /** The pages that link to these targets, by namespace and title of the target, then by page id. */
  backlinks?(range: ContentBacklinkRange, call: ContentCall): Rows<BacklinkRow>;
  /** All link targets in a namespace, by title, then by page id. */
  targets?(range: ContentTargetRange, call: ContentCall): Rows<LinkRow>;
  /**
   * The members of a category. By `sortkey`: pages first (0), then subcategories (1, namespace 14), then files (2,
   * namespace 6), each by sort key (see `sortkeyOf`) and id. By `time`: by `timestamp` and id.
   */
  members?(range: ContentMemberRange, call: ContentCall): Rows<MemberRow>;
  /** The sizes of these categories. Categories without members may be omitted. */
  sizes?(categories: readonly string[], call: ContentCall): Rows<CategorySizes>;
  /** Searches pages, by relevance. */
  search?(query: ContentSearch, call: ContentCall): ContentSearchResult | Promise<ContentSearchResult>;
  /** The files with these titles, in any order. */
  files?(titles: readonly string[], call: ContentCall): Rows<ContentFile>;
  /** The users with these names or ids, in any order. */
  users?(
    query: { readonly names: readonly string[]; readonly ids: readonly number[] },
    call: ContentCall,
  ): Rows<ContentUser>;
  /** Users by name, including those without an account. */
  userRange?(range: ContentUserRange, call: ContentCall): Rows<ContentUser>;
  /** The markup of a content model, for `rvsection` and `prop=extracts`. Default: wikitext. */
  markup?(model: string): ContentMarkup | undefined;
  /** Renders pages to HTML for `action=parse`, unless the host sets `render`. */
  readonly render?: Render;
  /**
   * Modules the source implements itself, beyond these methods. Not used if some pages have restricted access, because
   * their results cannot be filtered.
   */
  readonly modules?: ModuleHandlers;
}

/** What to find in titles and texts, as it was written. */
export interface ContentTerms {
  /** Words. One with a sign within, such as `co-op`, is a phrase. */
  readonly words: readonly string[];
  /** Words that follow each other, without their quotation marks. */
  readonly phrases: readonly string[];
  /** Beginnings of words, without their star. */
  readonly prefixes: readonly string[];
}

/** A search: for pages that have all of its terms. It has at least one. */
export interface ContentSearch extends ContentTerms {
  /** Pages with one of these are left out. */
  readonly without: ContentTerms;
  /** Whether to search titles only. */
  readonly titles: boolean;
  /** The namespaces to search. */
  readonly namespaces: readonly number[];
  /** The number of rows to skip, because relevance has no keys. */
  readonly offset: number;
  /** The number of rows to return, if there are as many. */
  readonly limit: number;
  /** For a search engine that filters by user itself. `visible` is applied to the rows in any case. */
  readonly caller: Caller | undefined;
}

/** The result of a search. The same search on the same content has the same result. */
export interface ContentSearchResult {
  /** By relevance. */
  readonly rows: readonly SearchHit[];
  /** How many pages match. */
  readonly total:
    | {
        /** All of them were counted. */
        readonly exact: number;
      }
    | {
        /** Only some were counted, because the search has a bound. */
        readonly atLeast: number;
      }
    | {
        /** An estimate. */
        readonly about: number;
      };
  /** The offset of the next row. Absent after the last one. */
  readonly next?: number | undefined;
  /** What the search left out, a sentence for each reason. Clients receive them as warnings. */
  readonly parts?: readonly string[];
}
