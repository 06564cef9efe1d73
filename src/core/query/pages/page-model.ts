import type { MaybePromise } from '../../base/ports.js';
import type { ResultItem } from '../answer/result-format.js';
import type { Caller } from '../caller.js';

/** Where a redirect leads. */
export interface RedirectTarget {
  /** The title of the target, with an interwiki prefix if it is on another site. */
  readonly to: string;
  /** The section of the target, without `#`. */
  readonly fragment?: string;
}

/** A page that exists, as the host knows it. */
export interface PageRecord {
  /** The page's id, from 1 on. */
  readonly pageid: number;
  /** The number of its namespace; 0 is the main one. */
  readonly ns: number;
  /** With its namespace, spaces not underscores: the form in which it was asked for. */
  readonly title: string;
  /** Where it leads, if it is a redirect. */
  readonly redirect?: RedirectTarget;
  /** Those of the asked revision ids that are revisions of this page. */
  readonly revids?: readonly number[];
}

/** What the host is asked to find. All three lists may be empty or filled. */
export interface PageQuery {
  /** With their namespace, in the canonical form. */
  readonly titles: readonly string[];
  /** Ids from 1 on. */
  readonly pageids: readonly number[];
  /** Ids from 1 on; the page of each is wanted. */
  readonly revids: readonly number[];
  /** Who asks; `undefined` without a bearer token. */
  readonly caller: Caller | undefined;
  /** Aborted when the deadline of the request has passed. */
  readonly signal: AbortSignal;
}

/** Finds pages. What it does not return does not exist. The order does not matter. */
export type PageResolver = (query: PageQuery) => MaybePromise<readonly PageRecord[]>;

/** A page of the request: one that exists, or a name that leads to none. */
export interface Page {
  /** The page id; negative for what does not exist, in the order in which it was found out. */
  readonly id: number;
  /** The id that it has, or was asked for by. */
  readonly pageid?: number;
  /** The number of its namespace; absent for what has no title. */
  readonly ns?: number;
  /** With its namespace, in the canonical form. */
  readonly title?: string;
  /** There is no such page. */
  readonly missing?: true;
  /** A page of the software, below namespace 0: it has no content. */
  readonly special?: true;
  /** No page can have this title. */
  readonly invalid?: true;
  /** Why not, as a sentence. */
  readonly invalidreason?: string;
}

/** A page that exists. */
export interface ExistingPage extends Page {
  readonly pageid: number;
  readonly ns: number;
  readonly title: string;
}

/** A title that could exist and does not. */
export interface MissingPage extends Page {
  readonly ns: number;
  readonly title: string;
  readonly missing: true;
}

/** The pages that a request is about. */
export interface PageSet {
  /** Those that exist; redirects are followed already if the request says so. */
  readonly existing: readonly ExistingPage[];
  /** Titles that no page has. */
  readonly missing: readonly MissingPage[];
  /** Pages of the software, such as `Special:Search`: other pages can link to them. */
  readonly special: readonly Page[];
  /** Asked revision ids that exist, with the id of their page. */
  readonly revids: ReadonlyMap<number, number>;
  /** Asked revision ids that no page has: they may be those of deleted revisions. */
  readonly unknownRevids: readonly number[];
}

/** A page that a list yields when it is used as a generator. */
export interface GeneratedPage {
  /** With its namespace; may be absent beside `pageid` or `revid`. */
  readonly title?: string;
  /** The page's id, if it exists. */
  readonly pageid?: number;
  /** A revision of the page, for a generator that yields revisions. */
  readonly revid?: number;
  /** Shown with the page. */
  readonly extra?: ResultItem;
}
