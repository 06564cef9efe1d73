import type { Config } from '../config.js';
import type { HttpRequest } from '../http.js';
import type { Limiter } from '../limiter.js';
import type { GrantInfo } from '../options.js';
import type { Clock, MaybePromise } from '../ports.js';
import type { RateLimit } from '../rate-limit.js';
import type { Records } from '../records.js';
import type { Seal } from '../seal.js';
import type { RandomSource } from '../secrets.js';
import type { Client } from './client.js';
import type { EventListener } from './events.js';
import type { KeyRing } from './jwt/signing-keys.js';
import type { Pages } from './pages/views.js';
import type { SignIn } from './sign-in.js';
import type { Tokens } from './tokens.js';

/** What the endpoints share: made once by the server, read by everybody, changed by nobody. */
export interface OAuthContext {
  readonly config: Config;
  readonly records: Records;
  readonly tokens: Tokens;
  readonly random: RandomSource;
  readonly clock: Clock;
  /** Absent when nobody listens, so that no event is put together for nobody. */
  readonly emit: EventListener | undefined;
  readonly onError: (error: unknown) => void;
  /** The configured issuer, or on loopback the address that the request was sent to. */
  issuer(request: HttpRequest): string;
  /** The issuer's path, which stands in front of every path that a browser is sent to. */
  readonly basePath: string;
  readonly limiters: {
    readonly client: Limiter;
    readonly login: Limiter;
    readonly userCode: Limiter;
    readonly device: RateLimit;
  };
  /** Keeps user codes, which are short, from being found by trying all of them on a stolen store. */
  readonly userCodeKey: Uint8Array;
  /** Makes the code of a consent form, so that the same press of a button always leads to the same one. */
  readonly consentKey: Uint8Array;
  /** For the tokens of the query API. */
  readonly queryKey: Uint8Array;
  /** Seals authorization requests while their owner signs in and decides. */
  readonly requestSeal: Seal;
  /** The keys that sign JWTs, if access tokens are JWTs. */
  readonly keyRing: KeyRing | undefined;
  readonly signIn: SignIn;
  readonly pages: Pages;
  readonly allowLocalhostRedirects: boolean;
  validateGrant(grant: GrantInfo): MaybePromise<boolean>;
}

/** Seconds since the epoch. */
export const secondsOf = (clock: Clock): number => Math.floor(clock() / 1000);

/** Whether a grant is switched on and this client may use it. */
export const mayUse = (context: OAuthContext, client: Client, grant: string): boolean =>
  context.config.grants.has(grant) && client.grantTypes.has(grant);
