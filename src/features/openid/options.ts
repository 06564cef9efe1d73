import {
  type Checked,
  either,
  flag,
  fn,
  listOf,
  mapOf,
  object,
  oneOf,
  orElse,
  required,
  type Schema,
  text,
  value,
} from '../../core/base/schema.js';
import { isPageAddress, KEY_SOURCE, type KeySource } from '../../core/feature/index.js';

/** A value, or a promise of it. */
export type MaybePromise<T> = T | Promise<T>;

/** The values of claims, by name (OpenID Connect Core 1.0 §5.1). */
export type Claims = Readonly<Record<string, unknown>>;

/** Who asks for claims, and under which grant. */
export interface ClaimsRequest {
  /** The client that receives them. */
  readonly client_id: string;
  /** The granted scopes, separated by spaces. */
  readonly scope: string;
  /** The user name of the owner, if known. */
  readonly username?: string;
  /** Where they will be. */
  readonly use: 'id_token' | 'userinfo';
}

/** Options of `openIdConnect`. */
export interface OpenIdOptions {
  /**
   * The keys that sign ID tokens, as in `jwt`: at least one RSA key of 2048 bits, for `RS256`. Further keys, for `ES256` or `EdDSA`, are for
   * clients that name such an algorithm. Make one with: npx oauth-query key. On loopback, a key is generated if this is absent.
   */
  readonly keys?: KeySource | undefined;
  /**
   * Returns claims about an owner, by `sub`. It is called with the names that were granted, and only they are passed on; absent, `null` and empty values are
   * left out. If it fails, the response is a 503, and the request may be repeated. Without it, `preferred_username` is the user name.
   */
  readonly claims?:
    | ((sub: string, names: readonly string[], request: ClaimsRequest) => MaybePromise<Claims>)
    | undefined;
  /**
   * Further scopes that give claims: `true` for the standard scopes `address` and `phone`, or names of claims for a scope of `options.scopes`, such as
   * `{ groups: ['groups'] }`. `profile` and `email` are always there.
   */
  readonly scopes?: Readonly<Record<string, true | readonly string[]>> | undefined;
  /** Claims that every client may ask for by name, although no scope of its registration covers them. Users are asked. Default: none. */
  readonly claimNames?: readonly string[] | undefined;
  /**
   * `granted`: ID tokens contain the claims of the granted scopes, because many applications read nothing else. `minimal`: only userinfo has them, unless the
   * access token is for another resource.
   */
  readonly idTokenClaims?: 'granted' | 'minimal' | undefined;
  /** Whether your sign-in page can register people: then a client may send `prompt=create`. */
  readonly canRegister?: boolean | undefined;
  /**
   * Your page that signs users out, which receives the URL to go on to as `return_to`; or a function of that URL. Only with `options.owner`. Without it, clients cannot sign
   * users out.
   */
  readonly logoutUrl?: string | ((returnTo: string) => MaybePromise<string>) | undefined;
  /** Whether signing out at a client's request also revokes what that client was granted. */
  readonly revokeAtLogout?: boolean | undefined;
  /**
   * Sends a logout token to the `backchannel_logout_uri` of a client, instead of the built-in request, which only reaches public servers: for clients in a
   * private network. Rejects if the client did not accept it.
   */
  readonly sendLogoutToken?:
    | ((
        address: string,
        logout_token: string,
        request: {
          /** Aborted after five seconds. */
          readonly signal: AbortSignal;
        },
      ) => MaybePromise<unknown>)
    | undefined;
}

/** A day in seconds. */
const MAX_LIFETIME = 86_400;

const CLAIM_NAMES = listOf('an array of names of claims', text('the name of a claim', /^[A-Za-z0-9_.:/-]{1,100}$/));

/** The validation of each option. */
export const OPENID_OPTIONS = {
  keys: KEY_SOURCE,
  claims: fn<NonNullable<OpenIdOptions['claims']>>('a function that returns claims about a sub'),
  scopes: orElse(
    mapOf(
      "an object of scopes, such as { phone: true, groups: ['groups'] }",
      either(
        value<true>('true', (given) => given === true),
        CLAIM_NAMES,
      ),
    ),
    {},
    'none',
  ),
  claimNames: orElse(CLAIM_NAMES, []),
  idTokenClaims: orElse(oneOf('granted', 'minimal'), 'granted'),
  canRegister: flag(false),
  logoutUrl: either(
    value<string>('the URL of a page, or its path such as /logout', isPageAddress),
    fn<Extract<OpenIdOptions['logoutUrl'], (...given: never[]) => unknown>>('a function that returns it'),
  ),
  revokeAtLogout: flag(false),
  sendLogoutToken: fn<NonNullable<OpenIdOptions['sendLogoutToken']>>('a function that sends a logout token'),
} satisfies Schema<OpenIdOptions>;

const TABLE = required(object(OPENID_OPTIONS));

/** The options, validated one by one. */
export type CheckedOpenIdOptions = Checked<typeof OPENID_OPTIONS>;

/** @throws TypeError with a sentence that names the option and the remedy. */
export const checkOpenIdOptions = (given: unknown): CheckedOpenIdOptions => TABLE.read(given, 'openIdConnect: options');

/** The paths of the endpoints, which applications read in the metadata. */
export const OPENID_PATHS = { userinfo: '/oauth/userinfo', endSession: '/oauth/logout' } as const;

/** In seconds: as long as the access token beside it, and at most a day. */
export const idTokenLifetime = (accessToken: number): number => Math.min(accessToken, MAX_LIFETIME);
