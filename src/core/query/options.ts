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
import type { SignInPaths } from './describe/sandbox/page.js';
import type { WatchlistTokenVerdict } from './rules/rule.js';
import type { SiteOptions } from './site/site.js';

/** The replication lag of the site's data. */
export interface ReplicationLag {
  /** Seconds. */
  readonly lag: number;
  /** The server that lags, if callers may see its name. */
  readonly host?: string;
}

/** The parameters for reading another user's watchlist. */
export interface WatchlistClaim {
  /** The user's name, in its canonical form. */
  readonly owner: string;
  /** The token from the request. */
  readonly token: string;
}

/** Options of the query API. Every option has a default; without handlers, responses are empty. */
export interface QueryOptions {
  /** The site: its name, namespaces, users and so on. */
  readonly site?: SiteOptions;
  /** Handlers of the catalogue's modules, by name. */
  readonly modules?: ModuleHandlers;
  /** Your own modules, each created with `customModule`. */
  readonly customModules?: readonly CustomModule[];
  /** Finds pages by title, id or revision. Default: only the pages of generators exist. */
  readonly resolvePages?: PageResolver;
  /**
   * Finds user names by ids (1 and higher), for parameters such as `rcuser=#5`: handlers receive the name, or `Unknown
   * user` for an id that it does not return. The signal is aborted at the deadline of the request. Default: all ids are
   * unknown.
   */
  readonly resolveUsers?: (ids: readonly number[], signal: AbortSignal) => MaybePromise<ReadonlyMap<number, string>>;
  /**
   * The response of a module without a handler: `empty` is an empty result with a warning, because clients add modules
   * on their own and an error would stop them; `error` is an error. Default `empty`.
   */
  readonly missing?: 'empty' | 'error';
  /**
   * Whether help, `paraminfo` and the sandbox list modules without a handler, each with a mark: `unanswered` in
   * `paraminfo`. With `false` they are not listed; `missing` still applies to requests for them. Default `true`.
   */
  readonly listUnanswered?: boolean;
  /**
   * Renders pages to HTML for `action=parse`; the text comes from the handler of `revisions`. The HTML is sanitised
   * with the package `sanitize-html`, which you install; with `{ render, trusted: true }` it is returned unchanged.
   * Default: no HTML.
   */
  readonly render?: Render | Renderer;
  /** Rights of a caller, such as `apihighlimits`, in addition to those of the token's scopes. */
  readonly rights?: (authorization: Authorization) => MaybePromise<readonly string[]>;
  /**
   * Origins whose scripts may send requests with a signed-in user. Default: none. Anonymous requests with `origin=*`
   * always work.
   */
  readonly cors?: {
    /**
     * Complete origins, or hosts with `*` for any part. A host includes its https origins, and its http origins if it
     * is a loopback address.
     */
    readonly origins: readonly string[];
  };
  /**
   * Checks the token of a user's watchlist, for requests with the parameters `owner` and `token`. Compare in constant
   * time, and return `wrong` for users without a token. Default: no watchlist can be read.
   */
  readonly verifyWatchlistToken?: (claim: WatchlistClaim) => MaybePromise<WatchlistTokenVerdict>;
  /** Whether reading content requires a token. Default `false`. */
  readonly private?: boolean;
  /** The name of this server, for `servedby`. Default: none. */
  readonly servedBy?: string;
  /** Called when a request has `maxlag`. Default: no lag. */
  readonly lag?: () => MaybePromise<ReplicationLag | undefined>;
  /** Languages by their codes, for `meta=languageinfo`. Default: none, and the module has no handler. */
  readonly languages?: Readonly<Record<string, Language>>;
  /**
   * Whether the sandbox, a page for trying out the API, is served at `sandbox` below the API's path, and the client
   * that signs users in. It shows the same modules as help and paraminfo. Default `true`.
   */
  readonly sandbox?: boolean | SandboxOptions;
  /**
   * A remote MCP server at the path `mcp`, with the same modules and callers. `{}` enables it; it requires an `issuer`
   * and the package `@modelcontextprotocol/server`. Default: disabled.
   */
  readonly mcp?: McpOptions;
  /** The maximum length of a response, in characters; longer results are returned in parts. Default 8 388 608. */
  readonly maxResultLength?: number;
}

/** What `createServer` provides to the MCP server. */
export interface McpEnvironment {
  readonly paths: readonly string[];
  /** The URL of the authorization server. */
  readonly issuer: string;
  /** The URL of the first path, the audience of tokens. */
  readonly resource: string;
  /** Seals the cursors of results. */
  readonly cursorSeal: Seal;
  /** The authorization of a token for the resource, or the response to reject the request with. Never rejects. */
  guard(request: HttpRequest): Promise<GuardResult>;
}

/** What `createServer` provides to the query API. */
export interface QueryEnvironment {
  /**
   * The authorization of a request's bearer token; `undefined` without a token. Rejects with an error whose `code` is
   * `invalid_token` if the token is invalid, and with any other error if it cannot be checked.
   */
  identify(request: HttpRequest): Promise<Authorization | undefined>;
  /** The rights of a token's scopes, such as `apihighlimits`. */
  scopeRights(authorization: Authorization): readonly string[];
  readonly clock: Clock;
  readonly random: RandomBytes;
  /** The key of the tokens of `meta=tokens`. */
  readonly secret: Uint8Array;
  /** Called with errors that are not reported to clients. */
  onError(error: unknown): void;
  /** The base of absolute URLs, such as `https://example.org`; empty if not known. */
  readonly base: string;
  /** The paths of the endpoint: `/api` and its aliases. Below each, every module has a path `…/query+<name>`. */
  readonly paths: readonly string[];
  /** The paths for signing in; absent without the authorization code grant. */
  readonly signIn?: SignInPaths | undefined;
  /** The maximum length of a request body. */
  readonly maxBodyBytes: number;
  /** The time limit of all handlers of a request together, in milliseconds. */
  readonly timeout: number;
  readonly timer: Timer;
  /** Present when `mcp` is among the options. */
  readonly mcp?: McpEnvironment | undefined;
}
