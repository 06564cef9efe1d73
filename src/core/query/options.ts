import type { Authorization } from '../base/authorization.js';
import type { MaybePromise } from '../base/ports.js';
import type { Language } from './builtin/languageinfo.js';
import type { PageResolver } from './descriptor/page-model.js';
import type { Diff } from './reader/compare/table.js';
import type { Render } from './reader/renderer.js';
import type { Sanitize } from './reader/sanitize.js';
import type { CallerLimits } from './run/caller-limits.js';
import type { CustomModule, ModuleHandlers, ResolveUsers, VerifyWatchlistToken } from './run/handlers.js';
import type { SiteOptions } from './site/site.js';

/** Options of the query API. Every option has a default; without handlers, responses are empty. */
export interface QueryOptions {
  /** The site: its name, namespaces, users and so on. */
  readonly site?: SiteOptions | undefined;
  /** Handlers of the catalogue's modules, by name. */
  readonly modules?: ModuleHandlers | undefined;
  /** Your own modules, each created with `customModule`. */
  readonly customModules?: readonly CustomModule[] | undefined;
  /** Finds pages by title, id or revision. Default: only the pages of generators exist. */
  readonly resolvePages?: PageResolver | undefined;
  /**
   * Finds user names by ids (1 and higher), for parameters such as `rcuser=#5`: handlers receive the name, or `Unknown
   * user`. The signal is aborted at the deadline of the request. Default: all ids are unknown.
   */
  readonly resolveUsers?: ResolveUsers | undefined;
  /**
   * How modules without a handler are treated. `listed`: help, `paraminfo` and the sandbox mark them, and a request
   * gets an empty result with a warning. `hidden`: the same, but not listed. `error`: not listed, and a request gets an
   * error. Default `listed`.
   */
  readonly unanswered?: 'listed' | 'hidden' | 'error' | undefined;
  /**
   * Renders pages to HTML for `action=parse`. The HTML is sanitised with `sanitize`, unless the result has `trusted:
   * true`. Default: no HTML.
   */
  readonly render?: Render | undefined;
  /**
   * Sanitises the HTML of `render`: the function of the package `sanitize-html` 2, called with the rules to apply.
   * Default: HTML that is not trusted is the error `nosanitizer`.
   */
  readonly sanitize?: Sanitize | undefined;
  /**
   * Compares texts for `action=compare`: `diffArrays` of the package `diff` 5 or later. Default: a request for a
   * difference is the error `nodiff`.
   */
  readonly diff?: Diff | undefined;
  /** Rights of a caller, such as `apihighlimits`, in addition to those of the token's scopes. */
  readonly rights?: ((authorization: Authorization) => MaybePromise<readonly string[]>) | undefined;
  /**
   * Origins whose scripts may send requests with a signed-in user: complete origins, or hosts (https; http on loopback)
   * with `*` for any part. Default: none. Anonymous requests with `origin=*` always work.
   */
  readonly cors?: readonly string[] | undefined;
  /**
   * Checks the token of a user's watchlist, for requests with the parameters `owner` and `token`. Compare in constant
   * time, and return `wrong` for users without a token. Default: no watchlist can be read.
   */
  readonly verifyWatchlistToken?: VerifyWatchlistToken | undefined;
  /** Whether reading content requires a token. Default `false`. */
  readonly private?: boolean;
  /** Languages by their codes, for `meta=languageinfo`. Default: none, and the module has no handler. */
  readonly languages?: Readonly<Record<string, Language>> | undefined;
  /**
   * Limits of a caller per minute, per process; beyond them, requests get HTTP 429 with `Retry-After` and the error
   * `ratelimited`. Callers with the right `noratelimit` have no limits. Default: no limits.
   */
  readonly limits?: CallerLimits | undefined;
  /**
   * The path of the endpoint, or a list with aliases. Below each, every module has a path `…/query+<name>`. Default
   * `/api`.
   */
  readonly path?: string | readonly string[] | undefined;
  /** The time limit of all handlers of a request together, in milliseconds; late results are omitted, with a warning. Default 10 000. */
  readonly timeout?: number | undefined;
}
