import type { MaybePromise } from '../../base/ports.js';
import type { Caller } from '../caller.js';
import type { Site } from '../site/site.js';

/** A page to render. */
export interface RenderPage {
  /** The page id; 0 for a text that the request contains. */
  readonly pageid: number;
  /** The namespace id. */
  readonly ns: number;
  /** With its namespace. */
  readonly title: string;
  /** The id of the revision; `undefined` if the handler of `revisions` does not return it. */
  readonly revid: number | undefined;
  /** The text of the revision, or of one section of it. */
  readonly text: string;
  /** The content model of the text, such as `wikitext`. */
  readonly model: string;
  /** The number of the section in `text`, if the request names one; `0` is the text before the first heading. */
  readonly section: string | undefined;
}

/** The caller and the deadline of a request to render. */
export interface RenderCall {
  /** `undefined` without a bearer token, and for requests from origins that may not act for the user. */
  readonly caller: Caller | undefined;
  /** Aborted at the deadline of the request. */
  readonly signal: AbortSignal;
  /** The site, with all defaults. */
  readonly site: Site;
}

/** A heading of a rendered page. */
export interface RenderedSection {
  /** From 1 to 6, as in `<h2>`. */
  readonly level: number;
  /** The heading as plain text. */
  readonly line: string;
  /** The `id` of the heading in the HTML. */
  readonly anchor: string;
  /** The index in `text` where the heading begins, if known. */
  readonly offset?: number;
}

/** A rendered page. */
export interface RenderedContent {
  /** The page as HTML, without `<html>` and `<body>`. */
  readonly html: string;
  /**
   * `true` returns the HTML unchanged: the renderer makes every page text harmless, without scripts, event handlers or
   * `javascript:` addresses. Otherwise the HTML is sanitised with `query({ sanitize })`.
   */
  readonly trusted?: boolean;
  /** The headings, in order. */
  readonly sections?: readonly RenderedSection[];
  /** Titles of linked pages. Used if `prop=links` has no handler. */
  readonly links?: readonly string[];
  /** Categories, without the namespace. Used if `prop=categories` has no handler. */
  readonly categories?: readonly string[];
  /** Titles of included pages. Used if `prop=templates` has no handler. */
  readonly templates?: readonly string[];
  /** Names of files, without the namespace. Used if `prop=images` has no handler. */
  readonly images?: readonly string[];
  /** Addresses of links to other sites. Used if `prop=extlinks` has no handler. */
  readonly externallinks?: readonly string[];
  /** The title to display, as plain text. */
  readonly displaytitle?: string;
}

/** Renders a page to HTML for `action=parse`. May throw an `ApiError`. */
export type Render = (page: RenderPage, call: RenderCall) => MaybePromise<RenderedContent>;
