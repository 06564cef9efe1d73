import type { KeySource } from '../../base/key-source.js';
import type { WarningCode } from '../../base/mistakes.js';
import type { Branding } from '../../base/pages/branding.js';
import type { PageLanguage } from '../../base/pages/languages/english.js';
import type { Clock, MaybePromise, RandomBytes, Store, Timer } from '../../base/ports.js';
import type { ResourceDefinition } from '../../base/resource-metadata.js';
import type { Optional } from '../../base/schema.js';
import type { ClaimsPart } from '../../feature/claims.js';
import type { Feature } from '../../feature/types.js';
import type { ClientRegistry, ClientSource, GrantName } from '../../oauth/clients/client.js';
import type { OAuthEventListener } from '../../oauth/events/events.js';
import type { GrantInfo, Lifetimes, PathName, ScopeDefinition } from '../../oauth/facts/settings.js';
import type { RenderedPage } from '../../oauth/pages/views.js';
import type { Owner } from '../../oauth/records/owner.js';
import type { SignInWishes } from '../../oauth/sign-in/asked-sign-in.js';
import type { User, UserDirectory } from '../../oauth/sign-in/users.js';
import type { View } from '../capabilities.js';

/**
 * Renders pages: receives plain data, whose `page` says which page it is, and returns a complete HTML document, or `undefined` for the built-in page.
 * Use the tag `html`, which escapes the data.
 */
export type Template = (view: View) => MaybePromise<RenderedPage | undefined>;

/** What a server takes from its environment. Tests replace the clock. */
export interface Runtime {
  /** Decides when anything expires. The store needs the same clock. Default: `Date.now`. */
  readonly clock?: Clock | undefined;
  /** The source of random bytes. Default: `crypto.randomBytes`. */
  readonly random?: RandomBytes | undefined;
  /** Calls a function after a time; for all timeouts. Default: `setTimeout`. */
  readonly timer?: Timer | undefined;
}

/** Options of `createServer`. Adapters take the same options, with a default for `store`. */
export interface ServerOptions {
  /** Where all state is stored. Adapters default to `memoryStore()`, for a single process. */
  readonly store: Store;
  /** The clock, the timer and the source of randomness: `{ clock, timer, random }`. Tests replace the clock. */
  readonly runtime?: Runtime | undefined;
  /**
   * The base URL of all endpoints, such as `https://example.org/auth`: https (http only on loopback), without query and
   * fragment (RFC 8414 §2). If absent, it is taken from each request, on loopback only.
   */
  readonly issuer?: string | undefined;
  /**
   * All keys are derived from it. With an array, the first secret is used and all are accepted. If absent, the server
   * generates a secret at startup, which ends with the process.
   */
  readonly secret?: string | readonly string[] | undefined;
  /**
   * The clients. An array may also contain registries, which are asked in order for other clients. Without clients, no
   * tokens are issued.
   */
  readonly clients?: readonly ClientSource[] | ClientRegistry | undefined;
  /** Scope → its description for users, or a definition. */
  readonly scopes?: Readonly<Record<string, string | ScopeDefinition>> | undefined;
  /**
   * The resources that tokens can be for (RFC 8707): their URLs, or paths on this host, with their metadata (RFC 9728).
   * An array of absolute URIs declares resources without metadata. Requires an `issuer`.
   */
  readonly resources?: readonly string[] | Readonly<Record<string, ResourceDefinition>> | undefined;
  /**
   * Access tokens are JWTs (RFC 9068), signed with these keys: P-256 for `ES256`, Ed25519 for `EdDSA`, RSA of at least
   * 2048 bits for `RS256`. `true` generates a key, which ends with the process.
   * Requires an `issuer`. Without this option, tokens are opaque, and revocation takes effect immediately.
   */
  readonly jwt?: KeySource | true | undefined;
  /** The enabled grants. Default: all but `password` and `implicit`. */
  readonly grants?: readonly GrantName[] | undefined;
  /** Returns the signed-in user of the application; called with the framework's own request. Needs `loginUrl`. */
  readonly owner?: ((native: unknown) => MaybePromise<Owner | undefined | null | false>) | undefined;
  /**
   * The application's sign-in page. It receives the URL to return to as `return_to`, and the parameters of an OpenID
   * Connect request; a function receives both as arguments.
   */
  readonly loginUrl?: string | ((returnTo: string, wishes?: SignInWishes) => MaybePromise<string>) | undefined;
  /** Enables the built-in sign-in page. */
  readonly users?: readonly User[] | UserDirectory | undefined;
  /** Requires PKCE of every client, not only of public ones. */
  readonly requirePkce?: boolean;
  /** Lets a registered `http://localhost` match any port, like loopback addresses (RFC 8252 §8.3 advises against it). */
  readonly allowLocalhostRedirects?: boolean | undefined;
  /**
   * Called before tokens of an owner are issued, refreshed or exchanged at the token endpoint, and before `userinfo`: return
   * `false` if the owner is disabled or has withdrawn consent.
   */
  readonly validateGrant?: (grant: GrantInfo) => MaybePromise<boolean>;
  /**
   * Features, in any order, such as `query({ … })` of `oauth-query/query` and `openIdConnect({ … })` of
   * `oauth-query/openid`.
   */
  readonly features?: readonly Feature[] | undefined;
  /**
   * Claims that the application adds to access tokens, such as `{ names: ['tenant'], of: ({ owner }) => ({ tenant: … })
   * }`: in introspection, in signed tokens, and in `req.auth.claims`.
   */
  readonly claims?: ClaimsPart | undefined;
  /** Overrides of the default paths, each beginning with a slash. */
  readonly paths?: Optional<Record<PathName, string | readonly string[]>> | undefined;
  /**
   * Additional members of the metadata document (RFC 8414 §2), such as `service_documentation`. Members set by the server cannot be
   * overridden.
   */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Overrides of the default lifetimes, in seconds. */
  readonly lifetimes?: Optional<Lifetimes> | undefined;
  /**
   * Milliseconds that a request to an endpoint or a guard may take. After that, the response is 503 with `Retry-After`,
   * and the server discards unfinished work. Each of your functions has five eighths of this time; then `onError`
   * receives an error that names it. If the body of a request has not arrived by then, the response is 408 and the
   * connection closes. At the query API and the MCP server, only the arrival of bodies is limited. Default: 8000.
   */
  readonly timeout?: number | undefined;
  /**
   * Addresses that many users share, such as a school's: `203.0.113.7`, or a network such as `2001:db8::/56`. Limits
   * per address are 20 times as high; limits per user name stay.
   */
  readonly sharedAddresses?: readonly string[] | undefined;
  /** The name, the logo, the colour and the links of the site, for every page. */
  readonly branding?: Branding | undefined;
  /** The languages of the pages, the default first. Default: English. */
  readonly languages?: readonly PageLanguage[] | undefined;
  /**
   * Renders your own pages: receives a view with the name of the `page`, and returns its HTML, or `undefined` for the
   * built-in page.
   */
  readonly template?: Template | undefined;
  /**
   * Browser origins that may call the token, revocation, registration, pushed authorization, userinfo and metadata endpoints, such as `https://app.example`: scheme, host and port,
   * without a slash at the end. `*` allows every origin.
   */
  readonly cors?: readonly string[] | undefined;
  /** Called for events worth logging or alerting on. */
  readonly onEvent?: OAuthEventListener | undefined;
  /** Called with errors that are not reported to clients. If it throws or rejects, no response changes. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /**
   * Called with a sentence for each setting that works but should be changed, and with its code such as `OQ305`, which
   * `docs/troubleshooting.md` explains.
   */
  readonly onWarning?: ((message: string, code: WarningCode) => void) | undefined;
}
