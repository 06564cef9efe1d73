import type { HttpRequest } from '../http.js';
import type { Authorization } from '../authorization.js';
import type { Clock, MaybePromise, RandomBytes } from '../ports.js';
import type { Language } from './builtin/languageinfo.js';
import type { ModuleHandlers, OwnModule } from './modules/handlers.js';
import type { PageResolver } from './pages/page-set.js';
import type { SandboxOptions, SignInPlaces } from './sandbox/sandbox.js';
import type { SiteOptions } from './site/site.js';

/** How far the site's data lag behind. */
export interface Lag {
  /** Seconds. */
  readonly lag: number;
  /** The server that lags, if callers may know it. */
  readonly host?: string;
}

/** What the host says about its query API. Everything has a default; with no handlers, every answer is empty. */
export interface QueryOptions {
  /** What the API says and assumes about the site. */
  readonly site?: SiteOptions;
  /** What answers the modules, by their names. */
  readonly modules?: ModuleHandlers;
  /** Modules of the host's own, each made with `ownModule`. */
  readonly own?: readonly OwnModule[];
  /** Finds pages by title, id or revision. Without it no page exists but those that a generator gives. */
  readonly pages?: PageResolver;
  /**
   * What a module without a handler does: `empty` gives an empty result and a warning, because clients add modules by
   * themselves and an error would stop them; `error` refuses the request. Default `empty`.
   */
  readonly missing?: 'empty' | 'error';
  /** How long the handlers of a request may take together, in milliseconds. Default 10 000. */
  readonly deadline?: number;
  /**
   * Sites whose scripts may act for the users that visit them: whole origins, or hosts with `*` for a part.
   * Default none; `origin=*`, which has no user, always works.
   */
  readonly origins?: readonly string[];
  /** Whether only those who identify themselves may read. Default `false`. */
  readonly private?: boolean;
  /** The name of this server, for `servedby`. Default: it is not told. */
  readonly servedBy?: string;
  /** Asked when a request has `maxlag`. Default: nothing lags. */
  readonly lag?: () => MaybePromise<Lag | undefined>;
  /** Languages by their codes, for `meta=languageinfo`. Default none: the module has no answer then. */
  readonly languages?: Readonly<Record<string, Language>>;
  /**
   * Whether there is a page to try the API with, at `sandbox` below the API's path, and which client it signs people in
   * with. It shows what help and paraminfo show. Default `true`.
   */
  readonly sandbox?: boolean | SandboxOptions;
  /** The longest answer, in characters; what would be longer is given in smaller parts. Default 8 388 608. */
  readonly maxResultLength?: number;
}

/** What the server that the query API is part of has to provide. */
export interface QueryEnvironment {
  /**
   * What the request's bearer token says; `undefined` when it brings none. Rejects with an error whose `code` is
   * `invalid_token` when the token is bad, and with any other error when that cannot be found out.
   */
  identify(request: HttpRequest): Promise<Authorization | undefined>;
  /** The rights of a caller, such as `apihighlimits`. */
  rights(authorization: Authorization): MaybePromise<readonly string[]>;
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
}
