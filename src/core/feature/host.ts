import type { Authorization } from '../base/authorization.js';
import type { Bound } from '../base/deadline.js';
import type { OAuthErrorCode } from '../base/errors.js';
import type { Admitted, GuardRequirement, GuardResult } from '../base/http/bearer.js';
import type { HttpRequest, HttpResponse } from '../base/http/messages.js';
import type { LimitListener } from '../base/limits/limit-reached.js';
import type { LimitAt } from '../base/limits/source.js';
import type { OnWarning } from '../base/mistakes.js';
import type { Frame } from '../base/pages/frame.js';
import type { FeatureTexts } from '../base/pages/languages/english.js';
import type { Clock, MaybePromise, RandomBytes, Timer } from '../base/ports.js';
import type { EnforcedRules } from '../base/rules.js';
import type { Seal } from '../base/seal.js';
import type { OwnRestrictions, StatedMetadata } from '../oauth/clients/client-metadata.js';
import type { OwnOpenId } from '../oauth/clients/client-openid.js';
import type { ClientRegistration, ClientRow } from '../oauth/clients/client.js';
import type { ScopeDefinition } from '../oauth/facts/settings.js';
import type { OwnerGrants } from '../oauth/owners/owner-grants.js';
import type { PersonalTokens } from '../oauth/owners/personal-tokens.js';
import type { ScopeView } from '../oauth/pages/views.js';
import type { ReadPublishedKeys, SigningKeys, SigningKeysInit } from './keys.js';
import type { OwnerRoute } from './owner-pages.js';
import type { FeatureOwners, TokenRoute } from './owners.js';
import type { Call, ClientCall, FeatureClient, FeatureRoute, Form, FormFields, FoundToken } from './parts.js';
import type { FeatureRecords } from './records.js';
import type { FeatureMaker, FeatureOf, ValueOf } from './types.js';

/** The endpoints that a page needs to sign users in. */
interface SignInPaths {
  /** Below the mount point, as the others. */
  readonly authorize: string;
  /** The token endpoint. */
  readonly token: string;
  /** The revocation endpoint. */
  readonly revoke: string;
  /** Absent if it depends on the request. */
  readonly issuer: string | undefined;
}

/** A path that clients call with a form and their credentials, like the token endpoint. */
export interface ClientRoute {
  /** Below the issuer. */
  readonly path: string | readonly string[];
  /** The parameters beside those of the credentials. Called for each request. */
  readonly fields: () => FormFields;
  /** Answers POST. What it throws becomes an error response, with a new nonce if the request had a proof. */
  readonly answer: (call: ClientCall) => MaybePromise<HttpResponse>;
}

/** Authorization requests that clients hand over themselves. */
export interface HandedOverRequests {
  /** All parameters that such a request may have, with those of features. */
  readonly fields: FormFields;
  /**
   * Validates a request as the authorization endpoint does.
   *
   * @param until - Milliseconds since the epoch: until then the browser may come with it.
   * @returns data that the part `authorization.pushedRequest` hands back when the browser comes.
   * @throws OAuthError for the client.
   */
  readonly read: (call: ClientCall, until: number) => Promise<object>;
}

/** Clients, as features see them. */
export interface FeatureClients {
  /** Those of the options, by `client_id`: known at the start. */
  readonly listed: ReadonlyMap<string, FeatureClient>;
  /** Whether there are no others. */
  readonly areAllListed: boolean;
  /** A client, if it can be used. */
  readonly find: (client_id: string) => MaybePromise<FeatureClient | undefined>;
  /** Whether an address is one of these, compared like redirect URIs: on loopback, ports may differ. */
  readonly isRegistered: (address: string, registered: readonly string[] | undefined) => boolean;
  /** What a client says about itself for OpenID Connect, as far as it may: its addresses must be where its redirect URIs are. */
  readonly ownOpenId: (given: Readonly<Record<string, unknown>>, redirectUris: readonly string[]) => OwnOpenId;
}

/** What a client says about itself (RFC 7591 §2), as far as this server uses it. */
export interface ClientMetadata extends StatedMetadata, OwnRestrictions, OwnOpenId {}

/** Clients that describe themselves. */
export interface SelfDescribedClients {
  /**
   * What the server and its features use of such a description. What they do not support is omitted.
   *
   * @param schemes - Schemes of apps that redirect URIs may have, in addition to https, and http on loopback.
   * @throws OAuthError `invalid_redirect_uri` or `invalid_client_metadata` (RFC 7591 §3.2.2).
   */
  readonly read: (given: Readonly<Record<string, unknown>>, schemes: readonly string[]) => ClientMetadata;
  /** The registration of such a client: public, with PKCE and rotating refresh tokens. @param scopes - Which it may request. */
  readonly registration: (client_id: string, metadata: ClientMetadata, scopes: readonly string[]) => ClientRegistration;
  /** @throws TypeError unless such clients may have these scopes. @param option - Names them in the error. */
  readonly checkScopes: (scopes: readonly string[], option: string) => void;
}

/** A limit on what callers may do who prove nothing. */
export interface AddressLimit {
  /** In the event `limit.reached`. */
  readonly name: string;
  /** Calls of one address in a minute, in each process. */
  readonly max: number;
  /** Of the response, in ASCII. */
  readonly message: string;
}

/** A request to another server. */
export interface SentRequest {
  /** Of the request. */
  readonly method: 'GET' | 'POST';
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body. */
  readonly body?: string;
}

/** What a server offers to its features. */
export interface FeatureHost<Needed extends FeatureMaker = FeatureMaker> {
  /** What a feature that this one needs provides. @param maker - The function that makes it, as in `needs`. */
  readonly use: <F extends Needed & FeatureOf<unknown>>(maker: F) => ValueOf<F>;
  /** The base of absolute URLs; absent if it depends on the request. */
  readonly issuer: string | undefined;
  /** Decides when anything expires. */
  readonly clock: Clock;
  /** Its own records in the store. */
  readonly records: FeatureRecords;
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
  /**
   * A limit on wrong credentials: at most ten failures a minute of one name from one address, as for the secrets of clients.
   *
   * @param name - Whose credentials they claim to be; `undefined` if it is nobody whom the server knows.
   * @param prove - The result, or `undefined` if they are wrong. It should wait for nothing but a signature.
   * @throws OAuthError with status 429.
   */
  readonly attempt: <T>(
    name: string | undefined,
    request: HttpRequest,
    prove: () => MaybePromise<T | undefined>,
  ) => Promise<T | undefined>;
  /** Called when a caller reaches a limit of this feature, for an event. */
  readonly onLimit: LimitListener;
  /** Absent without the authorization code grant. */
  readonly signIn: SignInPaths | undefined;
  /** The limits of all features together. Those about the options of this feature are its own to enforce. */
  readonly rules: EnforcedRules;
  /** The enabled grants, by `grant_type`. */
  readonly grants: ReadonlySet<string>;
  /** All scopes by name, with those of features. */
  readonly scopes: ReadonlyMap<string, ScopeDefinition>;
  /** Seconds for which an access token lives, unless its client has another lifetime. */
  readonly accessTokenLifetime: number;
  /** The issuer's path, in front of every path that a browser is sent to; empty without one. */
  readonly basePath: string;
  /** The clients. */
  readonly clients: FeatureClients;
  /** The owners. */
  readonly owners: FeatureOwners;
  /** A path that answers with a document about the owner of an access token, as long as the grant is still allowed. */
  readonly tokenRoute: (route: TokenRoute) => FeatureRoute;
  /** An access token, if it is live and what its owner allowed is still allowed: what a grant can derive others from. */
  readonly findToken: (token: string) => Promise<FoundToken | undefined>;
  /** Whether access tokens are signed (RFC 9068). */
  readonly signsTokens: boolean;
  /** The parameters of a request: of its form if it is a POST request, otherwise of its query. @throws OAuthError for a body that is no form. */
  readonly read: (call: Call, fields: FormFields) => MaybePromise<Form>;
  /**
   * The JSON document of a request: at most 64 KiB.
   *
   * @param code - Of the error about a body that is none.
   * @throws OAuthError
   */
  readonly readJson: (call: Call, code?: OAuthErrorCode) => Promise<unknown>;
  /** Counts calls by the address of the caller. @returns a function that throws an `OAuthError` with status 429, once there were too many. */
  readonly limitByAddress: (limit: AddressLimit) => (call: Call) => void;
  /** Clients that describe themselves. */
  readonly selfDescribed: SelfDescribedClients;
  /** All URLs of the token endpoint; empty if they depend on the request. */
  readonly tokenEndpoints: readonly string[];
  /** A path that clients call with their credentials: reads the form, proves the key, and authenticates the client. */
  readonly clientRoute: (route: ClientRoute) => FeatureRoute;
  /** A page for signed-in owners. */
  readonly ownerRoute: <Texts extends FeatureTexts>(route: OwnerRoute<Texts>) => FeatureRoute;
  /** Lists and revokes what owners have allowed. @param call - The request on whose behalf, for the events. */
  readonly ownerGrants: (call: Call) => OwnerGrants;
  /** Scopes as pages show them: described in a language, without those that another one implies. */
  readonly describeScopes: (names: readonly string[], locale: string) => readonly ScopeView[];
  /** Everything that this server would reject in a registration, as sentences. Call it in requests: the grants of features follow when they have started. */
  readonly checkClient: (registration: ClientRow) => readonly string[];
  /** Authorization requests that clients hand over themselves. */
  readonly handedOver: HandedOverRequests;
  /** Tokens that owners create for scripts. They belong to the client `personal-tokens`, which a feature brings along. */
  readonly personalTokens: Pick<
    PersonalTokens,
    'create' | 'discard' | 'end' | 'find' | 'limit' | 'list' | 'scopes' | 'shownName'
  >;
  /** The rights of a token's scopes, such as `apihighlimits`. */
  readonly rightsOf: (authorization: Authorization) => readonly string[];
  /** Why a page cannot sign users in as a client, as the end of a sentence; `undefined` if it can, or if that is not known. */
  readonly pageClientProblem: (client_id: string) => string | undefined;
  /**
   * The address of a resource of this feature, as tokens and metadata name it.
   *
   * @param name - For users, if neither the definition nor the application names it.
   */
  readonly resource: (path: string, name?: string) => string;
  /** The spelling in which tokens name a resource that a request or a statement names; `undefined` if the server does not have it. */
  readonly findResource: (named: string) => string | undefined;
  /** A key derived from the server's secret, for one purpose: 256 bits as base64url. */
  readonly key: (purpose: string) => string;
  /** Encrypts texts for one purpose, with the server's secrets. */
  readonly seal: (purpose: string) => Seal;
  /** The keys that another server publishes: fetched from public addresses only, and kept for all features. */
  readonly publishedKeys: ReadPublishedKeys;
  /** Keys that sign. @throws TypeError for an unusable key; those of a function are checked when it returns them. */
  readonly signingKeys: (init: SigningKeysInit) => SigningKeys;
  /**
   * Sends a request to a public server; a server on loopback also reaches others there. Its address is checked first, redirects are not followed, and the body of
   * the response is not read.
   *
   * @throws Error with a sentence that says what is wrong.
   */
  readonly send: (
    address: string,
    request: SentRequest,
    signal: AbortSignal,
  ) => Promise<{
    /** Of the response. */
    readonly status: number;
  }>;
  /** A function of the application with a deadline, five eighths of `timeout`. @param name - Names it in the error. */
  readonly bound: Bound;
  /**
   * The authorization of a request's bearer token; `undefined` without a token. Rejects with a `BearerError` whose code is
   * `invalid_token` if the token is invalid, and with any other error if it cannot be checked.
   */
  readonly identify: (request: HttpRequest) => Promise<Admitted | undefined>;
  /** Checks whether a request may pass. Never rejects. */
  readonly guard: (request: HttpRequest, requirement: GuardRequirement) => Promise<GuardResult>;
}
