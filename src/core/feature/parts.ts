import type { Actor } from '../base/actor.js';
import type { HttpRequest, HttpResponse, Route } from '../base/http/messages.js';
import type { MaybePromise } from '../base/ports.js';
import type { OwnRestrictions } from '../oauth/clients/client-metadata.js';
import type { OwnOpenId } from '../oauth/clients/client-openid.js';
import type { ClientRegistration, OpenIdRegistration } from '../oauth/clients/client.js';
import type { Emit } from '../oauth/events/events.js';
import type { CustomGrant } from '../oauth/kernel/custom-grant.js';
import type { Jwk, SigningAlgorithm } from '../oauth/keys/jwk.js';
import type { ScopeView } from '../oauth/pages/views.js';
import type { Owner, SignInFacts } from '../oauth/records/owner.js';
import type { GrantedClaims } from '../oauth/records/stored-records.js';
import type { AskedSignIn } from '../oauth/sign-in/asked-sign-in.js';
import type { Claims } from './claims.js';

/** A client, as features see it. */
export interface FeatureClient {
  /** The client's identifier. */
  readonly client_id: string;
  /** Its name for users. */
  readonly name: string;
  /** Who registered it: the operator, or it described itself: in a document at its `client_id`, or by self-registration. */
  readonly origin: 'operator' | 'document' | 'registration';
  /** Whether it has neither a secret nor keys, so that any program could act as it. */
  readonly public: boolean;
  /** The grants it may use. */
  readonly grantTypes: ReadonlySet<string>;
  /** The scopes it may request. */
  readonly scopes: ReadonlySet<string>;
  /** Those of a request that names none. */
  readonly defaultScope: readonly string[];
  /** The resources that it serves; `undefined` if it registered none. */
  readonly audience: readonly string[] | undefined;
  /** The resources for which it may exchange tokens (RFC 8693), as its registration names them. */
  readonly exchangeResources: readonly string[];
  /** Whether its tokens are always bound to a key (RFC 9449). */
  readonly boundTokens: boolean;
  /** Whether its authorization requests must be pushed (RFC 9126). */
  readonly mustPush: boolean;
  /** The algorithm with which it wants introspection responses to be signed (RFC 9701 §6). */
  readonly introspectionAlgorithm: SigningAlgorithm | undefined;
  /** What it registered for OpenID Connect. */
  readonly openId: OpenIdRegistration;
}

/** The parameters of a request: of its form, or of its query. */
export interface Form {
  /** A value; `undefined` if it is absent, empty or repeated. */
  get(name: string): string | undefined;
  /** All values of `resource`. */
  readonly resources: readonly string[];
  /** What is wrong with a parameter, as a sentence. */
  problem(name: string): string | undefined;
  /** What is wrong with any of them. */
  readonly firstProblem: string | undefined;
}

/** The characters that a parameter may have; `docs/features.md` describes them. */
export type FormFields = Readonly<Record<string, 'vschar' | 'uri' | 'client_id' | 'text' | 'lines'>>;

/** A request to a route of a feature. */
export interface Call {
  /** The request itself. */
  readonly request: HttpRequest;
  /** Tells the listeners what happened; absent if there are none. */
  readonly emit: Emit | undefined;
}

/** Answers a request. What it throws becomes an error response, as JSON or as a page. */
export type Answer = (call: Call) => MaybePromise<HttpResponse>;

/** A path of a feature. The server answers every other method, `HEAD`, preflight requests and errors, within the deadline of a request. */
export interface FeatureRoute {
  /** Below the issuer; with a list, the first one is the path that documents name. */
  readonly path: string | readonly string[];
  /** Answers GET. */
  readonly GET?: Answer | undefined;
  /** Answers POST. */
  readonly POST?: Answer | undefined;
  /** Whether people read the answers: then errors are pages with a link to this path. Default: `false`. */
  readonly isPage?: boolean | undefined;
  /** With `isPage`: whether a visit never begins here, so that error pages link to the front page of the site. Default: `false`. */
  readonly isStep?: boolean | undefined;
  /** The text of a link to it, in the language of the request: then other pages of the owner's account link to it. */
  readonly link?: ((request: HttpRequest) => string) | undefined;
  /** Whether scripts of other origins may call it, where `options.cors` allows their origin; `any` for documents that every origin may read. */
  readonly cors?: boolean | 'any' | undefined;
}

/** Texts that are kept with a code until the token request. */
type Kept = Readonly<Record<string, string>>;

/** The scopes of a request, before they are compared with those of the client. */
export interface AskedScope {
  /** The parameters of the request. */
  readonly form: Form;
  /** As requested. */
  readonly scopes: readonly string[];
  /** The client. */
  readonly client: FeatureClient;
  /** The grant the request leads to, in the spelling of `grant_type`. */
  readonly grant_type: string;
}

/** An authorization request whose client and redirect URI are known. Errors are sent there. */
export interface AskedAuthorization {
  /** Its parameters. */
  readonly form: Form;
  /** The client. */
  readonly client: FeatureClient;
  /** The requested scopes, or the client's default. */
  readonly scope: readonly string[];
  /** The response it asks for. */
  readonly response_type: 'code' | 'token';
  /** Whether the client handed it over itself, instead of sending a browser with it. */
  readonly isPushed: boolean;
}

/** What a feature reads from an authorization request. */
export interface ReadAuthorization {
  /** The sign-in that it asks for. */
  readonly signIn?: AskedSignIn;
  /** Kept with the code until the token request. */
  readonly kept?: Kept;
  /** Single claims that it asks for in addition to its scopes. The owner is asked for them, and they are kept with the grant. One feature may return them. */
  readonly claims?: GrantedClaims;
}

/** What a feature changes in authorization requests. Each member may be absent; none may be slow without a deadline. */
export interface AuthorizationPart {
  /** Further parameters of authorization requests. All other names are ignored. */
  readonly parameters?: FormFields;
  /** If the form only refers to a request that its client handed over before: that request, which is `undefined` if it is too old or was changed. */
  readonly pushedRequest?: (form: Form) => { readonly opened: unknown } | undefined;
  /** Whether the response to an authorization request goes into the fragment. Never throws. */
  readonly isInFragment?: (form: Form, client: FeatureClient) => boolean;
  /** May omit scopes or add some of the client's, or reject the request with an `OAuthError`. */
  readonly askedScope?: (asked: AskedScope) => readonly string[];
  /** @throws OAuthError, which is sent to the client. */
  readonly readRequest?: (asked: AskedAuthorization) => MaybePromise<ReadAuthorization>;
  /** The claims that these scopes cover: a remembered approval of the scopes covers them too. */
  readonly claimsOf?: (scopes: readonly string[]) => readonly string[];
  /** Single claims, as pages show them in a language, such as `de`. */
  readonly describeClaims?: (names: readonly string[], locale: string) => readonly ScopeView[];
  /** Whether an owner may allow these scopes. @throws OAuthError, which is sent to the client. */
  readonly checkOwner?: (owner: Owner, scope: readonly string[]) => void;
  /** Kept with the code, of the session in which the owner allows these scopes. Not called if the application's own sign-in does not name it. */
  readonly keepOfSession?: (session: { readonly id: string }, scope: readonly string[]) => Kept;
}

/** The grant that a token is issued under. */
export interface FeatureGrant extends SignInFacts {
  /** In events, lists and `grants.revoke`. */
  readonly id: string;
  /** The client that the owner allowed it. */
  readonly client_id: string;
  /** The owner. */
  readonly sub: string;
  /** The owner's user name. */
  readonly username: string | null;
  /** How the access was granted. */
  readonly grant_type?: string;
  /** Single claims, in addition to the scopes. */
  readonly claims?: GrantedClaims;
}

/** A token response, before it is sent. */
export interface AskedTokens {
  /** The grant type of the request; `issue` for `oauth.issue`. */
  readonly grant_type: string;
  /** The client. */
  readonly client: FeatureClient;
  /** Absent for a token of the client itself. */
  readonly grant?: FeatureGrant | undefined;
  /** Space-separated; after a refresh, it may be narrower than the grant. */
  readonly scope: string;
  /** The resources; empty for the issuer itself. */
  readonly aud: readonly string[];
  /** What was kept with the code; empty for a grant without one, and for a refresh. */
  readonly kept: Kept;
}

/** The access token of a response. */
export interface IssuedToken {
  /** The token itself. */
  readonly access_token: string;
  /** Seconds since the epoch; in a repeated response, that of the first. */
  readonly iat: number;
  /** Its claims: of `options.claims` and of all features. */
  readonly claims: Claims;
}

/** What a feature adds to token responses. */
export interface TokensPart {
  /**
   * Further fields of a token response, for every grant. Called before anything is used up; if it rejects, the client may repeat its request. Members that a
   * response has already stay as they are.
   */
  readonly fields?: (asked: AskedTokens, token: IssuedToken) => MaybePromise<Readonly<Record<string, unknown>>>;
}

/** A response of the introspection endpoint to a client that has authenticated itself, before it is sent. */
export interface AskedIntrospection extends Call {
  /** The client. */
  readonly client: FeatureClient;
  /** The members of the response (RFC 7662 §2.2). JSON omits those that are undefined. */
  readonly members: object;
}

/** What a feature changes in the introspection endpoint. */
export interface IntrospectionPart {
  /** Returns the response in another form; nothing if it is not for this feature. */
  readonly introspected?: (asked: AskedIntrospection) => MaybePromise<HttpResponse | undefined>;
}

/** A client that has neither a secret nor keys. */
export type PublicClient = Omit<
  ClientRegistration,
  'client_secret' | 'jwks' | 'jwks_uri' | 'token_endpoint_auth_method'
>;

/** What a feature reads from what clients say about themselves, and the clients that only it knows. */
export interface ClientsPart {
  /** Members of a self-registration or of a client document that it keeps. @throws MetadataProblem */
  readonly ownMetadata?: (
    given: Readonly<Record<string, unknown>>,
    redirectUris: readonly string[],
  ) => OwnOpenId & OwnRestrictions;
  /**
   * A client whose `client_id` begins with the `clientPrefix` of the feature: called for each request of the client and each use of its tokens, unless
   * `options.clients` lists it. The server validates an object once, so return the same one again. Such a client has the origin `registration`.
   *
   * @returns `undefined` if it is none: then the server asks the registries of `options.clients`. With `disabled: true`, it asks nobody else, and the client is unknown.
   * @throws UnavailableError if that is not known now.
   */
  readonly find?: (client_id: string) => MaybePromise<PublicClient | undefined>;
  /**
   * Authenticates the client of a request by what only this feature can verify. Asked before the server's own authentication, unless the request has an
   * `Authorization` header or a secret. The server checks that the client exists, and that `client_id` names it.
   *
   * @returns its `client_id`; `undefined` if the request does not concern this feature.
   * @throws OAuthError
   */
  readonly authenticate?: (call: FormCall) => MaybePromise<string | undefined>;
}

/** A session of the built-in sign-in, as plain JSON data. It opens nothing: its browser has it encrypted. */
export interface OwnerSession {
  /** Of the session. */
  readonly id: string;
  /** The owner. */
  readonly sub: string;
  /** The owner's last sign-out from all sessions before this one began; `null` without one. */
  readonly lastSignOut: string | null;
  /** Seconds since the epoch: from then on it does not exist. */
  readonly exp: number;
}

/** A sign-in, or all sign-ins of an owner for these clients, that end. */
export interface Ending {
  /** The owner. */
  readonly sub: string;
  /** The session, if only one ends. */
  readonly session?: {
    /** Of the session. */
    readonly id: string;
  };
  /** Only this client is concerned. */
  readonly client_id?: string;
  /** This client is not. */
  readonly except?: string;
}

/** Grants that end: all of an owner, of a client, of an owner for a client, or all that an issuer vouched for. */
interface EndingGrants {
  /** The owner. */
  readonly sub?: string;
  /** The client. */
  readonly client_id?: string;
  /** A client whose grants stay. */
  readonly except?: string;
  /** The issuer. */
  readonly issuer?: string;
}

/** What a feature does when something ends. */
export interface EndedPart {
  /** Called before grants end. If it rejects, nothing has ended, and the call may be repeated. */
  readonly beforeEnd?: (grants: EndingGrants) => Promise<void>;
  /** Called before a sign-in ends, and what it returns once it has ended. If it rejects, nothing has ended, and the call may be repeated. */
  readonly beforeSignOut?: (ending: Ending, emit: Emit | undefined) => Promise<() => void>;
}

/** What a feature stores about owners. */
export interface OwnersPart {
  /** Its records about an owner, as plain JSON data: `owners.export` yields them with the name of the feature. */
  readonly exportOwner?: ((sub: string) => AsyncIterable<Readonly<Record<string, unknown>>>) | undefined;
  /** Deletes them, for `owners.erase`, which fails if this fails. It may be called again. */
  readonly eraseOwner?: ((sub: string) => Promise<void>) | undefined;
}

/** A request of a client with a form. */
export interface FormCall extends Call {
  /** Its parameters. None of them has a problem. */
  readonly form: Form;
}

/** A request of a client that has authenticated itself. */
export interface ClientCall extends FormCall {
  /** The client. */
  readonly client: FeatureClient;
  /** The thumbprint of the key that the request proves (RFC 9449); `undefined` without a proof. */
  readonly jkt: string | undefined;
}

/** A token request for a grant of a feature. Its client is authenticated, and has the grant in its `grant_types`. */
interface GrantCall extends ClientCall {
  /** The requested scopes, all of which the client may have; `undefined` if the request names none. */
  readonly scope: readonly string[] | undefined;
  /** The requested resources (RFC 8707), all of which the server knows; empty if the request names none. */
  readonly resources: readonly string[];
}

/** A live access token of this server. A grant can derive tokens from it. */
export interface FoundToken {
  /** What it is counted by. It is the same in whatever way the token is written, and nobody can compute the token from it. */
  readonly id: string;
  /** The client that it was issued to. */
  readonly client_id: string;
  /** The owner, or `client:` and the client that requested it. */
  readonly sub: string;
  /** Whether it has no owner. */
  readonly isOfClient: boolean;
  /** Whether it is a JWT. */
  readonly isSigned: boolean;
  /** Its scopes, with those that they implied. */
  readonly scope: readonly string[];
  /** Its resources; empty for the issuer itself. */
  readonly resources: readonly string[];
  /** Seconds since the epoch. */
  readonly exp: number;
  /** How many tokens it was derived from, one from the other: of a token with eight, none can be derived. */
  readonly ancestors: number;
  /** Who acts for the owner. */
  readonly act?: Actor | undefined;
  /** The thumbprint of the key that it is bound to. Whether that key was proved is not known here. */
  readonly jkt?: string | undefined;
  /** Its claims. */
  readonly claims: Claims;
}

/** What a grant of a feature allows. */
export interface Granted {
  /** The owner of the token. Absent for a token of the client itself, which a public client cannot get. */
  readonly owner?: Owner | undefined;
  /**
   * In place of an owner: a token that `host.findToken` returned. The response belongs to its owner and its grant. It ends with that token, and with each
   * client that had one of its ancestors.
   */
  readonly from?: FoundToken | undefined;
  /** Who acts for the owner; absent if nobody is to be seen. It is only shown, and gives no access. */
  readonly act?: Actor | undefined;
  /** The granted scopes. One that the client may not have is `invalid_scope`. */
  readonly scope: readonly string[];
  /** The resources of the token, each as `host.findResource` returns it; empty for the issuer itself. */
  readonly resources: readonly string[];
  /** Seconds that the token lives; never longer than another token of the client. */
  readonly lifetime?: number | undefined;
  /** The issuer that vouches for the owner: in lists, in events, and in `grants.revoke({ issuer })`. */
  readonly issuer?: string | undefined;
  /**
   * Uses up what the request has presented. Called when nothing else can refuse the request, and before anything is written: what works once is used up only
   * by a request that may succeed.
   */
  readonly spend?: (() => Promise<void>) | undefined;
  /** Called when the grant is written, before the response. If it rejects, the grant has ended again. */
  readonly confirm?: (() => Promise<void>) | undefined;
  /** Further members of the response. */
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
}

/** A grant of a feature. It never leads to a refresh token. */
export interface GrantPart {
  /** Its parameters beside `scope` and `resource`. */
  readonly fields: FormFields;
  /** Decides about a request. What it throws becomes an error response; a function of the application in it needs `host.bound`. */
  readonly decide: (call: GrantCall) => MaybePromise<Granted>;
}

/** What a feature adds to a server. Each member may be absent. */
export interface Parts<Value = undefined> {
  /** Its paths. A whole `Route` answers every method itself, and is for documents and APIs with rules of their own. */
  readonly routes?: readonly (FeatureRoute | Route)[] | undefined;
  /** Grants, by their `grant_type`, an absolute URI (RFC 6749 §4.5): as in `customGrant`, or with a whole decision of their own. */
  readonly grants?: Readonly<Record<string, CustomGrant | GrantPart>> | undefined;
  /** What it changes in authorization requests. */
  readonly authorization?: AuthorizationPart | undefined;
  /** What it adds to token responses. */
  readonly tokens?: TokensPart | undefined;
  /** What it reads from what clients say about themselves. */
  readonly clients?: ClientsPart | undefined;
  /** Called with a session of the built-in sign-in before its browser has it. If it rejects, nobody has signed in. A later sign-in of the same browser may have the same id. */
  readonly began?: ((session: OwnerSession, call: Call) => Promise<void>) | undefined;
  /** What it changes in introspection responses. */
  readonly introspection?: IntrospectionPart | undefined;
  /** What it does when a sign-in ends. */
  readonly ended?: EndedPart | undefined;
  /** What it stores about owners, for export and deletion. */
  readonly owners?: OwnersPart | undefined;
  /** Further members of the metadata documents (RFC 8414). */
  readonly metadata?: ((issuer: string) => Readonly<Record<string, unknown>>) | undefined;
  /** Further published keys. */
  readonly keys?: (() => Promise<readonly Jwk[]>) | undefined;
  /** What other features get from `host.use`. */
  readonly provide?: Value | undefined;
  /** Called once, when the application closes the server after its last request: a feature finishes what it still has to do. */
  readonly close?: (() => MaybePromise<void>) | undefined;
}
