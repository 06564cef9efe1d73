import type { HttpRequest } from '../base/http.js';
import type { Authorization } from '../base/authorization.js';
import type { Clock, MaybePromise, RandomBytes, Timer } from '../base/ports.js';
import type { Language } from './builtin/languageinfo.js';
import type { GuardResult } from '../base/bearer.js';
import type { Seal } from '../base/seal.js';
import type { McpOptions } from './mcp/options.js';
import type { CustomModule, ModuleHandlers } from './run/handlers.js';
import type { Render, Renderer } from './reader/renderer.js';
import type { PageResolver } from './pages/page-model.js';
import type { SandboxOptions } from './describe/sandbox/sandbox.js';
import type { SignInPlaces } from './describe/sandbox/page.js';
import type { WatchlistTokenVerdict } from './rules/rule.js';
import type { SiteOptions } from './site/site.js';

/** How far the site's data lag behind. */
export interface ReplicationLag {
  /** Seconds. */
  readonly lag: number;
  /** The server that lags, if callers may know it. */
  readonly host?: string;
}

/** The parameters for reading another user's watchlist. */
export interface WatchlistClaim {
  /** The user's name, in its canonical form. */
  readonly owner: string;
  /** What came as the secret of the list. */
  readonly token: string;
}

/** What the host says about its query API. Everything has a default; with no handlers, every answer is empty. */
export interface QueryOptions {
  /** What the API says and assumes about the site. */
  readonly site?: SiteOptions;
  /** What answers the modules, by their names. */
  readonly modules?: ModuleHandlers;
  /** Modules that the catalogue does not have, each made with `customModule`. */
  readonly customModules?: readonly CustomModule[];
  /** Finds pages by title, id or revision. Without it no page exists but those that a generator gives. */
  readonly resolvePages?: PageResolver;
  /**
   * Finds the names of users by their ids, from 1 on, for parameters such as `rcuser=#5`: handlers get the name. Whom it
   * does not return is `Unknown user` there. The signal is aborted when the deadline of the request has passed. Without it
   * no id has a user.
   */
  readonly resolveUsers?: (ids: readonly number[], signal: AbortSignal) => MaybePromise<ReadonlyMap<number, string>>;
  /**
   * What a module without a handler does: `empty` gives an empty result and a warning, because clients add modules by
   * themselves and an error would stop them; `error` refuses the request. Default `empty`.
   */
  readonly missing?: 'empty' | 'error';
  /**
   * Whether help, `paraminfo` and the sandbox list modules without a handler, each with a mark: `unanswered` in `paraminfo`. `false`
   * leaves them out there; requests that name them are answered as `missing` says. Default `true`.
   */
  readonly listUnanswered?: boolean;
  /**
   * Renders pages to HTML for `action=parse`; their text comes from the handler of `revisions`. The HTML is sanitised with the
   * package `sanitize-html`, which you install; `{ render, trusted: true }` returns it unchanged. Default: no HTML.
   */
  readonly render?: Render | Renderer;
  /** Rights of a caller, such as `apihighlimits`, beside those that the scopes of the token give. */
  readonly rights?: (authorization: Authorization) => MaybePromise<readonly string[]>;
  /** Which scripts of other sites may ask with a user. Default none; `origin=*`, which has no user, always works. */
  readonly cors?: {
    /**
     * Sites whose scripts may act for the users that visit them: whole origins, or hosts with `*` for a part, which stand
     * for their https origins and on loopback for their http ones.
     */
    readonly origins: readonly string[];
  };
  /**
   * Says whether a token opens the watchlist of a user, for requests that name both as `owner` and `token`. Compare in a
   * time that does not depend on the token, and answer `wrong` for users who have none. Default: no watchlist is open.
   */
  readonly verifyWatchlistToken?: (claim: WatchlistClaim) => MaybePromise<WatchlistTokenVerdict>;
  /** Whether only those who identify themselves may read. Default `false`. */
  readonly private?: boolean;
  /** The name of this server, for `servedby`. Default: it is not told. */
  readonly servedBy?: string;
  /** Asked when a request has `maxlag`. Default: nothing lags. */
  readonly lag?: () => MaybePromise<ReplicationLag | undefined>;
  /** Languages by their codes, for `meta=languageinfo`. Default none: the module has no answer then. */
  readonly languages?: Readonly<Record<string, Language>>;
  /**
   * Whether there is a page to try the API with, at `sandbox` below the API's path, and which client it signs people in
   * with. It shows what help and paraminfo show. Default `true`.
   */
  readonly sandbox?: boolean | SandboxOptions;
  /**
   * Tools for assistants: a remote MCP server at the path `mcp`, in front of the same modules and for the same callers. `{}` switches it on; it
   * needs an `issuer`, and the package `@modelcontextprotocol/server`. Default off.
   */
  readonly mcp?: McpOptions;
  /** The longest answer, in characters; what would be longer is given in smaller parts. Default 8 388 608. */
  readonly maxResultLength?: number;
}

/** What the MCP server needs of the server that it is part of. */
export interface McpEnvironment {
  readonly paths: readonly string[];
  /** The address of the server, without which it could not be told from another one. */
  readonly issuer: string;
  /** The address of the first path, which tokens are for. */
  readonly resource: string;
  /** Seals where results go on. */
  readonly cursorSeal: Seal;
  /** Who a token for the resource stands for, or the refusal. Never rejects. */
  guard(request: HttpRequest): Promise<GuardResult>;
}

/** What the server that the query API is part of has to provide. */
export interface QueryEnvironment {
  /**
   * What the request's bearer token says; `undefined` when it brings none. Rejects with an error whose `code` is
   * `invalid_token` when the token is bad, and with any other error when that cannot be found out.
   */
  identify(request: HttpRequest): Promise<Authorization | undefined>;
  /** The rights that the scopes of a token give, such as `apihighlimits`. */
  scopeRights(authorization: Authorization): readonly string[];
  readonly clock: Clock;
  readonly random: RandomBytes;
  /** The key of what `meta=tokens` gives. */
  readonly secret: Uint8Array;
  /** Told of every failure that the client is not told the details of. */
  onError(error: unknown): void;
  /** What stands in front of every path for who is elsewhere, such as `https://example.org`; empty if not known. */
  readonly base: string;
  /** Where the endpoint answers: `/api` and its aliases. Each also has a path `…/query+<name>` for every module. */
  readonly paths: readonly string[];
  /** Where people sign in; absent when they cannot sign in with an authorization code. */
  readonly signIn?: SignInPlaces | undefined;
  /** The longest body that is read. */
  readonly maxBodyBytes: number;
  /** How long the handlers of a request may take together, in milliseconds. */
  readonly timeout: number;
  readonly timer: Timer;
  /** Present when `mcp` is among the options. */
  readonly mcp?: McpEnvironment | undefined;
}
