import type { Authorization } from './authorization.js';
import type { Admitted, GuardRequirement, GuardResult } from './http/bearer.js';
import type { HttpRequest, Route } from './http/messages.js';
import type { LimitListener } from './limits/limit-reached.js';
import type { LimitAt } from './limits/source.js';
import type { OnWarning } from './mistakes.js';
import type { Frame } from './pages/frame.js';
import type { Clock, MaybePromise, RandomBytes, Timer } from './ports.js';
import type { ResourceDefinition } from './resource-metadata.js';
import type { Seal } from './seal.js';

/** The endpoints that a page needs to sign users in. */
export interface SignInPaths {
  /** Below the mount point, as the others. */
  readonly authorize: string;
  /** The token endpoint. */
  readonly token: string;
  /** The revocation endpoint. */
  readonly revoke: string;
  /** Absent if it depends on the request. */
  readonly issuer: string | undefined;
}

/** What a server offers to its features. */
export interface FeatureHost {
  /** The base of absolute URLs; absent if it depends on the request. */
  readonly issuer: string | undefined;
  /** Decides when anything expires. */
  readonly clock: Clock;
  /** Random bytes. */
  readonly random: RandomBytes;
  /** For all timeouts. */
  readonly timer: Timer;
  /** The frame of pages, with the brand and the languages. */
  readonly frame: Frame;
  /** The deadline of requests to the server, in milliseconds. */
  readonly requestTimeout: number;
  /** Called with errors that are not reported to clients. */
  readonly onError: (error: unknown) => void;
  /** Called with a sentence for each setting that works but should be changed. */
  readonly onWarning: OnWarning;
  /** Whether the secret outlives the process and is shared with others. */
  readonly hasSecret: boolean;
  /** Whether tokens may be bound to keys: then scripts of other origins send proofs, and read nonces and challenges. */
  readonly bindsTokens: boolean;
  /** A limit per address, which is higher for addresses that many people share. */
  readonly limitAt: LimitAt;
  /** Called when a caller reaches a limit of this feature, for an event. */
  readonly onLimit: LimitListener;
  /** Absent without the authorization code grant. */
  readonly signIn: SignInPaths | undefined;
  /** The rights of a token's scopes, such as `apihighlimits`. */
  readonly rightsOf: (authorization: Authorization) => readonly string[];
  /** Why a page cannot sign users in as a client, as the end of a sentence; `undefined` if it can, or if that is not known. */
  readonly pageClientProblem: (client_id: string) => string | undefined;
  /** The address of a resource of this feature, as tokens and metadata name it. */
  readonly resource: (path: string) => string;
  /** A key derived from the server's secret, for one purpose: 256 bits as base64url. */
  readonly key: (purpose: string) => string;
  /** Encrypts texts for one purpose, with the server's secrets. */
  readonly seal: (purpose: string) => Seal;
  /** A function of the application with a deadline, five eighths of `timeout`. @param name - Names it in the error. */
  readonly bound: <Input extends readonly unknown[], Result>(
    name: string,
    work: (...input: Input) => MaybePromise<Result>,
  ) => (...input: Input) => MaybePromise<Result>;
  /**
   * The authorization of a request's bearer token; `undefined` without a token. Rejects with a `BearerError` whose code is
   * `invalid_token` if the token is invalid, and with any other error if it cannot be checked.
   */
  readonly identify: (request: HttpRequest) => Promise<Admitted | undefined>;
  /** Checks whether a request may pass. Never rejects. */
  readonly guard: (request: HttpRequest, requirement: GuardRequirement) => Promise<GuardResult>;
}

/**
 * A feature of the authorization server, as an entry of its own provides it: `oauthQuery({ profile: profileResource({ … }) })`. What is in it is for
 * the server alone, and may change in any version.
 */
export interface AuthorizationFeature {
  /** The scopes it defines, by name. */
  readonly scopes: object;
  /** Whether it reads when and how owners sign in. */
  readonly keepsSignIn: boolean;
  /** Called by the server, once. */
  readonly start: unknown;
}

/**
 * A part of the server that an entry of its own provides, as a value: `oauthQuery({ query: query({ … }) })`. The core imports none of
 * them.
 */
export interface Feature {
  /** Protected resources (RFC 9728) that it serves, by their path below the issuer. */
  readonly resources: Readonly<Record<string, ResourceDefinition>>;
  /**
   * Creates the routes, once, when the server is created.
   *
   * @throws TypeError if its options do not fit this server.
   */
  readonly start: (host: FeatureHost) => readonly Route[];
}
