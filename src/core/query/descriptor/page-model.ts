import type { MaybePromise } from '../../base/ports.js';
import type { ResultItem } from '../answer/result-format.js';
import type { Caller } from '../caller.js';

/** The target of a redirect. */
export interface RedirectTarget {
  /** The title of the target, with an interwiki prefix if it is on another site. */
  readonly to: string;
  /** The section of the target, without `#`. */
  readonly fragment?: string;
}

/** A page that exists, as returned by the host. */
export interface PageRecord {
  /** The page id, 1 or higher. */
  readonly pageid: number;
  /** The namespace id; 0 is the main namespace. */
  readonly ns: number;
  /** With its namespace, and spaces instead of underscores, as in the query. */
  readonly title: string;
  /** Its target, if it is a redirect. */
  readonly redirect?: RedirectTarget;
  /** Which of the requested revision ids belong to this page. */
  readonly revids?: readonly number[];
}

/** The pages to find. Each list may be empty. */
export interface PageQuery {
  /** Titles with their namespace, in canonical form. */
  readonly titles: readonly string[];
  /** Ids, 1 or higher. */
  readonly pageids: readonly number[];
  /** Revision ids, 1 or higher, whose pages are to be found. */
  readonly revids: readonly number[];
  /** The caller; `undefined` without a bearer token. */
  readonly caller: Caller | undefined;
  /** Aborted at the deadline of the request. */
  readonly signal: AbortSignal;
}

/** Finds pages, in any order. Pages that it does not return do not exist. */
export type PageResolver = (query: PageQuery) => MaybePromise<readonly PageRecord[]>;

/** A page of the request, which may not exist. */
export interface Page {
  /** The page id; negative numbers for pages that do not exist, in order. */
  readonly id: number;
  /** Its id, or the id in the request. */
  readonly pageid?: number;
  /** The namespace id; absent without a title. */
  readonly ns?: number;
  /** With its namespace, in canonical form. */
  readonly title?: string;
  /** The page does not exist. */
  readonly missing?: true;
  /** A special page, in a namespace below 0, without content. */
  readonly special?: true;
  /** The title is invalid. */
  readonly invalid?: true;
  /** Why the title is invalid, as a sentence. */
  readonly invalidreason?: string;
}

/** A page that exists. */
export interface ExistingPage extends Page {
  readonly pageid: number;
  readonly ns: number;
  readonly title: string;
}

/** A valid title of a page that does not exist. */
export interface MissingPage extends Page {
  readonly ns: number;
  readonly title: string;
  readonly missing: true;
}

/** The pages of a request. */
export interface PageSet {
  /** Pages that exist, after redirects if the request resolves them. */
  readonly existing: readonly ExistingPage[];
  /** Titles of pages that do not exist. */
  readonly missing: readonly MissingPage[];
  /** Special pages, such as `Special:Search`, which other pages can link to. */
  readonly special: readonly Page[];
  /** Requested revision ids that exist, with their page id. */
  readonly revids: ReadonlyMap<number, number>;
  /** Requested revision ids without a page: possibly deleted revisions. */
  readonly unknownRevids: readonly number[];
}

/** A page that a generator yields. */
export interface GeneratedPage {
  /** With its namespace. Optional with `pageid` or `revid`. */
  readonly title?: string;
  /** The page id, if the page exists. */
  readonly pageid?: number;
  /** A revision of the page, for a generator of revisions. */
  readonly revid?: number;
  /** Fields to add to the page. */
  readonly extra?: ResultItem;
}
