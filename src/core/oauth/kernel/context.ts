import type { HttpRequest } from '../../base/http/messages.js';
import type { ProofChecker } from '../../base/key-proofs.js';
import type { Budget } from '../../base/limits/budget.js';
import type { FailureLimiter } from '../../base/limits/failure-limiter.js';
import type { GuessLimiter } from '../../base/limits/guess-limiter.js';
import type { RateLimit } from '../../base/limits/rate-limit.js';
import type { LimitAt } from '../../base/limits/source.js';
import type { Frame } from '../../base/pages/frame.js';
import type { Clock, MaybePromise, Timer } from '../../base/ports.js';
import type { Records } from '../../base/records.js';
import type { Seal } from '../../base/seal.js';
import type { RandomSource } from '../../base/secrets.js';
import type { Standstills } from '../../base/standstill.js';
import type { Client } from '../clients/client.js';
import type { ClientCaller } from '../clients/own-registry.js';
import type { Emit } from '../events/events.js';
import type { DeploymentWarnings } from '../facts/deployment-warnings.js';
import type { Definitions } from '../facts/parameters.js';
import type { GrantInfo } from '../facts/settings.js';
import type { KeyRing } from '../keys/signing-keys.js';
import type { Pages } from '../pages/render.js';
import type { SignIn } from '../sign-in/sign-in.js';
import type { Codes } from '../tokens/codes.js';
import type { RefreshTokens } from '../tokens/refresh-tokens.js';
import type { Tokens } from '../tokens/tokens.js';
import type { OAuthConfig } from './config.js';
import type { OAuthHooks } from './hooks.js';

/** Shared by all endpoints: created once by the server, and never modified. A request with listeners has a copy, whose `emit` names it. */
export interface OAuthContext {
  readonly config: OAuthConfig;
  readonly records: Records;
  readonly tokens: Tokens;
  readonly codes: Codes;
  readonly refreshTokens: RefreshTokens;
  readonly random: RandomSource;
  readonly clock: Clock;
  readonly timer: Timer;
  /** The random name of this process, for decisions that depend on whose clock was read. */
  readonly process: string;
  readonly standstills: Standstills;
  /** Absent in a request without listeners, so that no events are created. */
  readonly emit: Emit | undefined;
  readonly onError: (error: unknown) => void;
  /** The configured issuer, or on loopback the URL the request was sent to. */
  issuer(request: HttpRequest): string;
  /** The issuer's path, in front of every path a browser is sent to. */
  readonly basePath: string;
  /** A limit per address, which is higher for addresses that many people share. */
  readonly limitAt: LimitAt;
  readonly limiters: {
    /** Random secrets of clients, and assertions. */
    readonly client: FailureLimiter;
    /** Client secrets chosen by people. */
    readonly chosenSecret: GuessLimiter;
    readonly login: GuessLimiter;
    readonly userCode: GuessLimiter;
    /** Device codes requested by public clients. */
    readonly device: RateLimit;
    /** Self-registrations of clients. */
    readonly registration: RateLimit;
    /** Approvals without a question. */
    readonly silent: RateLimit;
  };
  /** Budget of records for device codes of public clients. */
  readonly deviceBudget: Budget;
  /**
   * Keep user codes, which are short, from being found by brute force in a stolen store. The first key is used for new
   * codes, all of them for lookups.
   */
  readonly userCodeKeys: readonly [string, ...string[]];
  /** Derives the code from a consent form, so that pressing the same button again leads to the same code. */
  readonly consentKey: string;
  /** Encrypts authorization requests while their owner signs in and decides. */
  readonly requestSeal: Seal;
  /** The keys that sign JWTs, if access tokens are JWTs. */
  readonly keyRing: KeyRing | undefined;
  readonly warnings: DeploymentWarnings;
  readonly signIn: SignIn;
  /** The frame of pages that are not the core's own. */
  readonly frame: Frame;
  /** In a request for a page they are in its language. */
  readonly pages: Pages;
  /** Checks proofs of keys, if tokens may be bound to keys. */
  readonly proofs: ProofChecker | undefined;
  readonly allowLocalhostRedirects: boolean;
  validateGrant(grant: GrantInfo): MaybePromise<boolean>;
  /** What features change. */
  readonly hooks: OAuthHooks;
  /** All that an authorization request may have, with what features add. */
  readonly authorizeParameters: Definitions;
}

/** Seconds since the epoch. */
export const secondsOf = (clock: Clock): number => Math.floor(clock() / 1000);

/** A request on whose behalf a registry may contact other servers about a client. */
export const callerOf = ({ ip }: HttpRequest, { emit }: OAuthContext): ClientCaller => ({ ip, emit });

/** Whether a grant is enabled and this client may use it. */
export const mayUse = (context: OAuthContext, client: Client, grant: string): boolean =>
  context.config.grants.has(grant) && client.grantTypes.has(grant);
