import type { Caller, ModuleHandlers, RedirectTarget, Render, SiteOptions } from '../core/query/index.js';
import type { ContentFile, ContentLogEntry, ContentUser } from './entities.js';

export type { ContentFile, ContentLogEntry, ContentUser } from './entities.js';

/** The title of a page that may or may not exist. */
export interface ContentTitle {
  /** The namespace id; 0 is the main namespace. */
  readonly ns: number;
  /** Without the namespace, with spaces: `Main Page`. */
  readonly title: string;
}

/** A page that exists. */
export interface ContentPage extends ContentTitle {
  /** 1 or higher. Ids must be stable, and never reused. */
  readonly id: number;
  /** Its target, if it is a redirect: the full title, with its namespace. */
  readonly redirect?: RedirectTarget | undefined;
  /** The id of its latest revision. Without it, the page has no text. */
  readonly revid?: number;
  /** The size of its text in bytes. */
  readonly length?: number;
  /** The time of the last change: `2024-05-06T07:08:09Z`. */
  readonly touched?: string;
  /** The content model of its text. Default `wikitext`. */
  readonly model?: string;
  /** The requested revision ids that belong to it. Absent if the query names none. */
  readonly revids?: readonly number[];
}

/** A revision of a page. */
export interface ContentRevision {
  /** 1 or higher. */
  readonly id: number;
  /** The id of its page. */
  readonly page: number;
  /** The id of the parent revision; 0 for the first. */
  readonly parent?: number;
  /** `2024-05-06T07:08:09Z` */
  readonly timestamp: string;
  /** The author; absent if hidden. */
  readonly user?: string;
  /** The user's id; 0 for a user without an account. Default 0. */
  readonly userid?: number;
  /** Whether it is a minor edit. */
  readonly minor?: boolean;
  /** The summary; absent if hidden. */
  readonly comment?: string;
  /** Bytes. */
  readonly size: number;
  /** The SHA-1 hash of the text, in hexadecimal. */
  readonly sha1?: string;
  /** The content model. Default `wikitext`. */
  readonly model?: string;
  /** The media type of the text. Default `text/x-wiki`. */
  readonly format?: string;
  /** The text, if requested; absent if hidden. */
  readonly text?: string;
}

/**
 * The kind of a link, which determines `title`: the title of the target without its namespace; for `url` the result of
 * `urlTarget`, for `language` and `interwiki` the prefix, a colon and the title there, for `property` the name of the
 * property, each with `ns` 0.
 */
export type LinkKind =
  | 'link'
  | 'template'
  | 'file'
  | 'redirect'
  | 'category'
  | 'url'
  | 'language'
  | 'interwiki'
  | 'property';

/** A link of a page. A page has at most one link of a kind to each target. */
export interface ContentLink extends ContentTitle {
  /** The kind of link. */
  readonly kind: LinkKind;
  /** The section of a link, the sort key prefix in a category, the complete URL, or the value of a property. */
  readonly text?: string;
}

/** A link in a list, with the id of its page. */
export interface LinkRow extends ContentTitle {
  /** The id of the page that contains it. */
  readonly page: number;
  /** See {@link ContentLink.text}. */
  readonly text?: string;
}

/** A page that links to a requested target. */
export interface BacklinkRow {
  /** The target. */
  readonly target: ContentTitle;
  /** The linking page. */
  readonly page: ContentPage;
  /** See {@link ContentLink.text}. */
  readonly text?: string;
}

/** A member of a category. */
export interface MemberRow {
  /** The member. */
  readonly page: ContentPage;
  /** The sort key: see {@link ContentSource.members}. */
  readonly sortkey: string;
  /** The sort key prefix set by the page; empty without one. */
  readonly prefix: string;
  /** When it became a member, if known. */
  readonly timestamp: string;
}

/** The numbers of members of a category. */
export interface CategorySizes {
  /** The category's title, without the namespace. */
  readonly title: string;
  /** Members that are neither files nor categories. */
  readonly pages: number;
  /** Members in namespace 6. */
  readonly files: number;
  /** Members in namespace 14. */
  readonly subcats: number;
}

/** A page found by a search. Matches are between U+0001 and U+0002. */
export interface SearchHit {
  /** The page. */
  readonly page: ContentPage;
  /** An excerpt of the text, with marked matches. Default: from the beginning of the latest text. */
  readonly snippet?: string;
  /** The title, with marked matches. */
  readonly titlesnippet?: string;
  /** The number of words in its text. */
  readonly wordcount?: number;
}

/**
 * A range of a list. `from` and `to` are inclusive, and reading starts at `from`, which is the greater one if
 * `descending` is set. Text is compared by code points, as `COLLATE "C"` and `COLLATE BINARY` do.
 */
export interface ContentRange<Key> {
  /** The first key. Default: the first row. */
  readonly from?: Key | undefined;
  /** The last key. Default: the last row. */
  readonly to?: Key | undefined;
  /** Whether to read from the greatest key to the smallest. */
  readonly descending: boolean;
  /** The number of rows to return, if there are as many. */
  readonly limit: number;
}

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
 */
export interface ContentSource {
  /** The site: its name, language, namespaces. The host's options take precedence. */
  readonly site?: SiteOptions;
  /** The pages with these titles, ids or revision ids, in any order. Pages that it does not return do not exist. */
  pages?(query: ContentPageQuery, call: ContentCall): Rows<ContentPage>;
  /** The pages of a namespace by title. */
  pageRange?(range: ContentPageRange, call: ContentCall): Rows<ContentPage>;
  /** All pages in a fixed random order: by a number below 2^31, then by id. */
  shuffled?(range: ContentRange<readonly [number: number, id: number]>, call: ContentCall): Rows<ShuffledPage>;
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

/** The pages to find. Each list may be empty. */
export interface ContentPageQuery {
  /** Titles of pages. */
  readonly titles: readonly ContentTitle[];
  /** Ids of pages. */
  readonly ids: readonly number[];
  /** Revision ids whose pages are to be found, with `revids` set. */
  readonly revids: readonly number[];
}

/** A range of the pages of a namespace; `from` and `to` are titles. */
export interface ContentPageRange extends ContentRange<string> {
  /** The namespace. */
  readonly ns: number;
  /**
   * A hint: `true` if only redirects are needed, `false` if only other pages. Returning other pages is allowed; they
   * are filtered out.
   */
  readonly redirects?: boolean | undefined;
}

/** A page with its number in the random order. */
export interface ShuffledPage extends ContentPage {
  /** 0 or higher, below 2^31. */
  readonly shuffle: number;
}

/** The revisions to find. */
export interface ContentRevisionQuery {
  /** Ids of revisions. */
  readonly ids: readonly number[];
  /** Whether their text is needed. */
  readonly text: boolean;
}

/** A range of all revisions, or those of a page or of a user. */
export interface ContentHistoryRange extends ContentRange<readonly [timestamp: string, id: number]> {
  /** Only revisions of this page. */
  readonly page?: number;
  /** Only revisions by this user. */
  readonly user?: string | undefined;
  /** A hint: only the latest revision of each page is needed. */
  readonly latest?: boolean;
  /** A hint: only revisions of pages in these namespaces are needed. */
  readonly namespaces?: readonly number[] | undefined;
  /** A hint: only minor edits are needed. */
  readonly minor?: boolean;
  /** A hint: only edits by users without an account are needed. */
  readonly anonymous?: boolean;
  /** Whether their text is needed. */
  readonly text: boolean;
}

/** A range of the log. The hints allow a source to omit other entries. */
export interface ContentLogRange extends ContentRange<readonly [timestamp: string, id: number]> {
  /** A hint: the type that is needed. */
  readonly type?: string | undefined;
  /** A hint: the user whose entries are needed. */
  readonly user?: string | undefined;
  /** A hint: the page whose entries are needed. */
  readonly page?: number | undefined;
}

/** A range of the links of pages. */
export interface ContentLinkRange extends ContentRange<readonly [page: number, ns: number, title: string]> {
  /** Which links. */
  readonly kind: LinkKind;
  /** The ids of the pages that contain the links. */
  readonly pages: readonly number[];
  /** A hint: of each page, only the first link whose title is this one or greater is needed. */
  readonly one?: string;
}

/** A range of users, by name. */
export interface ContentUserRange extends ContentRange<string> {
  /** A hint: `recent` is needed, counted from this time on; users without recent edits may be omitted. */
  readonly since?: string | undefined;
}

/** A range of the links to targets. */
export interface ContentBacklinkRange extends ContentRange<readonly [ns: number, title: string, page: number]> {
  /** Which links. */
  readonly kind: LinkKind;
  /** The targets. */
  readonly targets: readonly ContentTitle[];
}

/** A range of the targets of a kind. */
export interface ContentTargetRange extends ContentRange<readonly [title: string, page: number]> {
  /** Which links. */
  readonly kind: LinkKind;
  /** The namespace of the targets. */
  readonly ns: number;
  /** Whether to return each target once: its `page` is then 0, as are the pages of `from` and `to`. */
  readonly unique: boolean;
}

/** A range of the members of a category. */
export type ContentMemberRange = {
  /** The category's title, without the namespace. */
  readonly category: string;
} & (
  | ({
      /** The order. */
      readonly by: 'sortkey';
    } & ContentRange<readonly [type: number, sortkey: string, page: number]>)
  | ({
      /** The order. */
      readonly by: 'time';
    } & ContentRange<readonly [timestamp: string, page: number]>)
);

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
