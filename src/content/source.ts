import type { MaybePromise } from '../core/base/ports.js';
import type { ModuleHandlers, RedirectTarget, Render, Renderer, SiteOptions } from '../core/query/index.js';

/** A name that a page has or could have. */
export interface ContentTitle {
  /** The number of the namespace; 0 is the main one. */
  readonly ns: number;
  /** Without the namespace, with spaces: `Main Page`. */
  readonly title: string;
}

/** A page that exists. */
export interface ContentPage extends ContentTitle {
  /** From 1 on. A page keeps its id, and no other page gets it. */
  readonly id: number;
  /** Where it leads, if it is a redirect: the whole title, with its namespace. */
  readonly redirect?: RedirectTarget | undefined;
  /** The id of its latest revision. Without it the page has no text to ask for. */
  readonly revid?: number;
  /** The size of its text in bytes. */
  readonly length?: number;
  /** When it was changed last: `2024-05-06T07:08:09Z`. */
  readonly touched?: string;
  /** The content model of its text. Default `wikitext`. */
  readonly model?: string;
  /** Those of the asked revision ids that are its own; only where a request names revision ids. */
  readonly revids?: readonly number[];
}

/** A version of a page. */
export interface ContentRevision {
  /** From 1 on. */
  readonly id: number;
  /** The id of its page. */
  readonly page: number;
  /** The id of the revision before it; 0 for the first. */
  readonly parent?: number;
  /** `2024-05-06T07:08:09Z` */
  readonly timestamp: string;
  /** Who wrote it; absent when that is hidden. */
  readonly user?: string;
  /** The user's id; 0 for a user without an account. Default 0. */
  readonly userid?: number;
  /** Whether it is marked as a minor change. */
  readonly minor?: boolean;
  /** The summary; absent when it is hidden. */
  readonly comment?: string;
  /** Bytes. */
  readonly size: number;
  /** The SHA-1 of the text, in hexadecimal digits. */
  readonly sha1?: string;
  /** The content model. Default `wikitext`. */
  readonly model?: string;
  /** The media type of the text. Default `text/x-wiki`. */
  readonly format?: string;
  /** Where a request asks for it; absent when it is hidden. */
  readonly text?: string;
}

/**
 * What leads from a page to something else. `title` is the title of the target in its namespace, without it; for `url` what
 * `urlTarget` makes of the address, for `language` and `interwiki` the prefix, a colon and the title there, for `property` the
 * name of the property, each with `ns` 0.
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

/** Where a page leads. A page has at most one for each target of a kind. */
export interface ContentLink extends ContentTitle {
  /** What it is. */
  readonly kind: LinkKind;
  /** The section of a link, the own sort key in a category, the whole address of a URL, the value of a property. */
  readonly text?: string;
}

/** A link as lists give it, with the id of the page that it is on. */
export interface LinkRow extends ContentTitle {
  /** The id of the page that it is on. */
  readonly page: number;
  /** See {@link ContentLink.text}. */
  readonly text?: string;
}

/** A page that links to a target that was asked for. */
export interface BacklinkRow {
  /** What it links to. */
  readonly target: ContentTitle;
  /** The page that links. */
  readonly page: ContentPage;
  /** See {@link ContentLink.text}. */
  readonly text?: string;
}

/** A member of a category. */
export interface MemberRow {
  /** The member. */
  readonly page: ContentPage;
  /** What it is sorted by: see {@link ContentSource.members}. */
  readonly sortkey: string;
  /** The sort key that the page itself gives; empty without one. */
  readonly prefix: string;
  /** When it became a member, as far as that is known. */
  readonly timestamp: string;
}

/** How many members of each sort a category has. */
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

/** A page that a search has found. Marks: U+0001 in front of what was found, U+0002 behind it. */
export interface SearchHit {
  /** What was found. */
  readonly page: ContentPage;
  /** A part of the text around what was found, with marks. */
  readonly snippet?: string;
  /** The title, with marks. */
  readonly titlesnippet?: string;
  /** How many words its text has. */
  readonly wordcount?: number;
}

/** A file of a page in namespace 6. */
export interface ContentFile {
  /** The title of its page, without the namespace. */
  readonly title: string;
  /** Where it can be fetched. */
  readonly url: string;
  /** Bytes. */
  readonly size: number;
  /** The media type. */
  readonly mime: string;
  /** Pixels; absent for what has none. */
  readonly width?: number;
  /** Pixels; absent for what has none. */
  readonly height?: number;
  /** When it was put there. */
  readonly timestamp?: string;
  /** Who put it there. */
  readonly user?: string;
  /** In hexadecimal digits. */
  readonly sha1?: string;
}

/** A user who has edited. */
export interface ContentUser {
  /** As it signs revisions. */
  readonly name: string;
  /** 0 for a user without an account. */
  readonly id: number;
  /** How many revisions are by this user. */
  readonly edits?: number;
  /** When the account was made, as far as that is known. */
  readonly registration?: string;
  /** How many revisions are by this user since the time that was named. */
  readonly recent?: number;
}

/** Something that was done and is no revision, such as an import. */
export interface ContentLogEntry {
  /** From 1 on. */
  readonly id: number;
  /** What sort of thing was done. */
  readonly type: string;
  /** What exactly. */
  readonly action: string;
  /** The page that it is about. */
  readonly page: number;
  /** Who did it. */
  readonly user: string;
  /** `2024-05-06T07:08:09Z` */
  readonly timestamp: string;
  /** Why. */
  readonly comment: string;
  /** Plain JSON data. */
  readonly params: Readonly<Record<string, unknown>>;
}

/**
 * A piece of a list. `from` and `to` belong to it, and `from` is where reading begins: the greater one when `descending` is set.
 * Text is compared by code points, as `COLLATE "C"` and `COLLATE BINARY` do.
 */
export interface ContentRange<Key> {
  /** Where reading begins; at the first row without it. */
  readonly from?: Key | undefined;
  /** Where it ends; at the last row without it. */
  readonly to?: Key | undefined;
  /** Whether it reads from the greatest key to the smallest. */
  readonly descending: boolean;
  /** Give as many if there are as many. */
  readonly limit: number;
}

/** How texts of one content model are read, for `rvsection` and `prop=extracts`. */
export interface ContentMarkup {
  /** A section with its subsections, as it is written; 0 is what stands before the first heading. `undefined` if there is none. */
  section(text: string, number: number): string | undefined;
  /** The text without markup. Headings keep a mark for their level on each side: `== Heading ==`. */
  plainText(text: string): string;
}

/** What a request brings along, for a source that wants to stop early. */
export interface ContentCall {
  /** Aborted when the deadline of the request has passed. Made when it is first looked at. */
  readonly signal: AbortSignal;
}

type Answer<T> = MaybePromise<readonly T[]>;

/**
 * Content, as the query API asks for it. Every function is optional: the modules that need one which is not there say that they
 * have no answer. Lists go on by keys, so nothing is ever counted off, and what a request needs of several pages is asked for
 * at once. `contentContract` of `oauth-query/testing` has what each function must do, as tests.
 */
export interface ContentSource {
  /** What is known of the site: its name, language, namespaces. Options of the host win. */
  readonly site?: SiteOptions;
  /** The pages with these titles, ids or revision ids, in any order. What it leaves out does not exist. */
  pages?(query: ContentPageQuery, call: ContentCall): Answer<ContentPage>;
  /** The pages of a namespace by their titles. */
  pageRange?(range: ContentPageRange, call: ContentCall): Answer<ContentPage>;
  /** All pages in an order that is fixed and has nothing to do with them: each has a number below 2^31, and then its id counts. */
  shuffled?(range: ContentRange<readonly [number: number, id: number]>, call: ContentCall): Answer<ShuffledPage>;
  /** The revisions with these ids, in any order. */
  revisions?(query: ContentRevisionQuery, call: ContentCall): Answer<ContentRevision>;
  /** Revisions by time, and by id where times are equal. */
  history?(range: ContentHistoryRange, call: ContentCall): Answer<ContentRevision>;
  /** What was done, by time, and by id where times are equal. */
  log?(range: ContentRange<readonly [timestamp: string, id: number]>, call: ContentCall): Answer<ContentLogEntry>;
  /** Where these pages lead, by page, namespace and title. */
  links?(range: ContentLinkRange, call: ContentCall): Answer<LinkRow>;
  /** The pages that lead to these targets, by namespace and title of the target and then by their own id. */
  backlinks?(range: ContentBacklinkRange, call: ContentCall): Answer<BacklinkRow>;
  /** Everything in a namespace that some page leads to, by title and then by page. */
  targets?(range: ContentTargetRange, call: ContentCall): Answer<LinkRow>;
  /**
   * The members of a category. By `sortkey`: pages first (0), then subcategories (1, namespace 14), then files (2, namespace 6),
   * each by the sort key, which `sortkeyOf` makes, and by id. By `time`: by `timestamp` and id.
   */
  members?(range: ContentMemberRange, call: ContentCall): Answer<MemberRow>;
  /** How large these categories are. One without members may be left out. */
  sizes?(categories: readonly string[], call: ContentCall): Answer<CategorySizes>;
  /** The pages that fit best come first. */
  search?(query: ContentSearch, call: ContentCall): MaybePromise<ContentSearchResult>;
  /** The files with these titles, in any order. */
  files?(titles: readonly string[], call: ContentCall): Answer<ContentFile>;
  /** The users with these names or ids, in any order. */
  users?(
    query: { readonly names: readonly string[]; readonly ids: readonly number[] },
    call: ContentCall,
  ): Answer<ContentUser>;
  /** Users by their names, those without an account included. */
  userRange?(range: ContentUserRange, call: ContentCall): Answer<ContentUser>;
  /** How texts of a content model are read, for `rvsection` and `prop=extracts`; wikitext where it returns nothing. */
  markup?(model: string): ContentMarkup | undefined;
  /** Renders pages to HTML for `action=parse`, unless the host sets `render`. */
  readonly render?: Render | Renderer;
  /**
   * Modules the source implements itself, beyond these methods. Not used if some pages have restricted access: nothing could
   * keep them out of these answers.
   */
  readonly modules?: ModuleHandlers;
}

/** Pages that are looked for; all three lists may be empty or filled. */
export interface ContentPageQuery {
  /** Titles of pages. */
  readonly titles: readonly ContentTitle[];
  /** Ids of pages. */
  readonly ids: readonly number[];
  /** The page of each is wanted, with these of its revisions in `revids`. */
  readonly revids: readonly number[];
}

/** A part of the pages of a namespace; `from` and `to` are titles. */
export interface ContentPageRange extends ContentRange<string> {
  /** The namespace. */
  readonly ns: number;
  /** A hint: `true` when only redirects are wanted, `false` when none are. Others may be given; they are left out. */
  readonly redirects?: boolean | undefined;
}

/** A page with its number in the shuffled order. */
export interface ShuffledPage extends ContentPage {
  /** From 0 on, below 2^31. */
  readonly shuffle: number;
}

/** Revisions that are looked for by their ids. */
export interface ContentRevisionQuery {
  /** Ids of revisions. */
  readonly ids: readonly number[];
  /** Whether their text is needed. */
  readonly text: boolean;
}

/** A part of all revisions, or of those of a page or of some users. */
export interface ContentHistoryRange extends ContentRange<readonly [timestamp: string, id: number]> {
  /** Of this page alone. */
  readonly page?: number;
  /** By these users alone. */
  readonly users?: readonly string[] | undefined;
  /** A hint: only the latest revision of each page is wanted. */
  readonly latest?: boolean;
  /** Whether their text is needed. */
  readonly text: boolean;
}

/** A part of where pages lead. */
export interface ContentLinkRange extends ContentRange<readonly [page: number, ns: number, title: string]> {
  /** Which links. */
  readonly kind: LinkKind;
  /** The ids of the pages that they are on. */
  readonly pages: readonly number[];
}

/** A part of the users, by name. */
export interface ContentUserRange extends ContentRange<string> {
  /** A hint: `recent` is wanted, counted from this time on, and only users who have some. */
  readonly since?: string | undefined;
}

/** A part of what leads to targets. */
export interface ContentBacklinkRange extends ContentRange<readonly [ns: number, title: string, page: number]> {
  /** Which links. */
  readonly kind: LinkKind;
  /** What they lead to. */
  readonly targets: readonly ContentTitle[];
}

/** A part of the targets of a kind. */
export interface ContentTargetRange extends ContentRange<readonly [title: string, page: number]> {
  /** Which links. */
  readonly kind: LinkKind;
  /** The namespace of the targets. */
  readonly ns: number;
  /** Whether each target is wanted once: its `page` is 0 then, and so are the pages of `from` and `to`. */
  readonly unique: boolean;
}

/** A part of a category. */
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

/** What is searched for. */
export interface ContentSearch {
  /** Words that must all be there; in double quotes they stand together. */
  readonly words: readonly string[];
  /** Words that must not be there. */
  readonly without: readonly string[];
  /** Whether only titles are looked through. */
  readonly titles: boolean;
  /** Only pages of these. */
  readonly namespaces: readonly number[];
  /** So many of the best are passed over: a ranking has no keys. */
  readonly offset: number;
  /** Give as many if there are as many. */
  readonly limit: number;
}

/** What a search has found. */
export interface ContentSearchResult {
  /** The best first. */
  readonly hits: readonly SearchHit[];
  /** How many there are altogether, if that is known. */
  readonly total?: number;
}
