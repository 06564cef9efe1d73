import { OAuthError, type OAuthErrorCode } from '../../base/errors.js';
import type { HttpRequest, HttpResponse } from '../../base/http/messages.js';
import { protocolError, redirect, serverError } from '../../base/http/responses.js';
import type { HiddenFields } from '../../base/pages/forms.js';
import { PageError } from '../../base/pages/page-error.js';
import type { Clock, MaybePromise } from '../../base/ports.js';
import type { Seal } from '../../base/seal.js';
import type { RandomSource } from '../../base/secrets.js';
import { type ClientFinder, UnusableClientError } from '../clients/client-finder.js';
import type { Client } from '../clients/client.js';
import { isChallenge, isChallengeMethod, type ChallengeMethod } from '../clients/pkce.js';
import {
  isLoopbackRedirect,
  redirectHost,
  redirectUriMatches,
  withFragment,
  withQuery,
} from '../clients/redirect-uri.js';
import type { Emit } from '../events/events.js';
import type { Parameters } from '../facts/parameters.js';
import type { OAuthHooks } from '../kernel/hooks.js';
import { backTo, RefusedPage, reportSent } from '../kernel/refusal.js';
import { excerpt, RefusedRequest } from '../kernel/refused-request.js';
import { callerOf, type RequestScope } from '../kernel/request-scope.js';
import { checkScope, type RequestedAccess } from '../kernel/requested-access.js';
import type { KeptParameters } from '../records/chain-record.js';
import type { GrantedClaims } from '../records/stored-records.js';
import type { AskedSignIn } from '../sign-in/asked-sign-in.js';

/** Seconds that signing in and deciding may take. */
const AUTHORIZATION_REQUEST_LIFETIME = 600;

/** Characters of a request that travels through the browser: encrypted, it fits into the 8 KB that many proxies allow a URL. */
export const MAX_IN_BROWSER = 5000;

/** The parameters of an authorization request (RFC 6749 §4.1.1, RFC 7636 §4.3, RFC 8707 §2, OpenID Connect Core 1.0 §3.1.2.1, OAuth 2.0 Form Post Response Mode). */
export const AUTHORIZATION_PARAMETERS = {
  response_type: 'vschar',
  response_mode: 'vschar',
  client_id: 'client_id',
  redirect_uri: 'uri',
  scope: 'vschar',
  state: 'vschar',
  code_challenge: 'vschar',
  code_challenge_method: 'vschar',
  resource: 'uri',
  ui_locales: 'vschar',
} as const;

/** Where a response is sent. Known once the client and its redirect URI are valid; from then on, errors are sent there too. */
interface ResponseTarget {
  readonly client_id: string;
  readonly redirect_uri: string;
  readonly state: string | null;
  /** The implicit grant returns results and errors in the fragment. */
  readonly inFragment: boolean;
  /** The client wants results and errors in a form that the browser posts. */
  readonly isPosted?: true;
  readonly iss: string;
}

/** What shows a form that sends itself. */
interface PostingPages {
  /** @param to - The host, as users see it. */
  post(action: string, fields: HiddenFields, to: string): HttpResponse;
}

/** A validated request. It travels encrypted, so that it cannot be changed. */
export interface AuthorizationRequest extends ResponseTarget {
  readonly id: string;
  readonly redirect_uri_sent: boolean;
  readonly response_type: 'code' | 'token';
  readonly scope: readonly string[];
  readonly resources: readonly string[];
  readonly code_challenge: string | null;
  readonly code_challenge_method: ChallengeMethod | null;
  /** The sign-in it asks for, if a feature reads that. */
  readonly signIn?: AskedSignIn;
  /** What features keep with the code. */
  readonly kept?: KeptParameters;
  /** Single claims that it asks for in addition to its scopes. */
  readonly claims?: GrantedClaims;
  /** For a request that was handed over before: when its reference ends, in milliseconds since the epoch. It is answered once. */
  readonly pushedUntil?: number;
  /** The languages it asks for, if its address does not name them. */
  readonly ui_locales?: string;
}

/** When a request ends, in milliseconds since the epoch. No copy of one that was handed over before lives longer. */
export const requestEnd = ({ pushedUntil }: AuthorizationRequest, clock: Clock): number =>
  (pushedUntil ?? clock()) + AUTHORIZATION_REQUEST_LIFETIME * 1000;

/** An error that is sent to the client in a redirect. */
export class RedirectError extends Error {
  override readonly name = 'RedirectError';
  readonly code: OAuthErrorCode;
  readonly target: ResponseTarget;

  constructor({ code, message }: OAuthError, target: ResponseTarget) {
    super(message);
    this.code = code;
    this.target = target;
  }
}

/** From the moment the redirect URI is known, the client receives all errors there (RFC 6749 §4.1.2.1). */
export const redirected = (
  error: unknown,
  target: ResponseTarget,
  { emit, onError }: { readonly emit: Emit | undefined; readonly onError: (error: unknown) => void },
): PageError | RedirectError => {
  if (error instanceof PageError) return error;
  if (error instanceof OAuthError) reportSent(error, error.code, target.client_id, { emit });
  const known = protocolError(error, onError);
  return new RedirectError(known instanceof OAuthError ? known : serverError(), target);
};

/** Sends the browser to the client with the response, the unchanged state and the issuer (RFC 9207 §2). */
export const authorizationResponse = (
  { redirect_uri, state, iss, inFragment, isPosted }: ResponseTarget,
  parameters: Readonly<Record<string, string>>,
  status: 302 | 303,
  pages: PostingPages,
): HttpResponse => {
  const answer = Object.assign({}, parameters, state !== null && { state }, { iss });
  if (isPosted === true) return pages.post(redirect_uri, answer, redirectHost(redirect_uri));
  const encoded = new URLSearchParams();
  for (const [name, value] of Object.entries(answer)) encoded.append(name, value);
  return redirect((inFragment ? withFragment : withQuery)(redirect_uri, encoded), status);
};

/** Only a server can receive a form: no app has one at a scheme of its own. */
const takesForms = (uri: string): boolean => /^https:/i.test(uri) || isLoopbackRedirect(uri);

/** What {@link AuthorizationRequests} depend on. */
interface AuthorizationRequestServices {
  readonly clients: ClientFinder & { isOfFeature(client_id: string): boolean };
  readonly grants: ReadonlySet<string>;
  readonly requested: RequestedAccess;
  readonly allowLocalhostRedirects: boolean;
  /** Encrypts requests while their owner signs in and decides. */
  readonly requestSeal: Seal;
  readonly random: RandomSource;
  readonly clock: Clock;
  readonly hooks: Pick<OAuthHooks, 'isInFragment' | 'readRequest'>;
  issuer(request: HttpRequest): string;
  readonly onError: (error: unknown) => void;
}

const quoted = (text: string): string => JSON.stringify(excerpt(text));

/** The maximum number of redirect URIs in an explanation. */
const MAX_LISTED_URIS = 10;

/** A client that has registered itself cannot be told that it is unknown by now; its owner can. */
const unknownClient = (
  client_id: string,
  { clients }: AuthorizationRequestServices,
): 'unknown_registration' | 'unknown_client' =>
  clients.isOfFeature(client_id) ? 'unknown_registration' : 'unknown_client';

/** The page where a client cannot be used. */
const UNUSABLE = {
  unavailable: { reason: 'client_unavailable', status: 503 },
  refused: { reason: 'client_refused', status: 400 },
} as const;

/** Looks up a client for a browser it has sent here. If that fails, only the user in front of the page learns why. */
const lookUp = (
  client_id: string,
  scope: RequestScope,
  { clients }: AuthorizationRequestServices,
): MaybePromise<Client | undefined> => {
  const found = clients.find(client_id, { caller: callerOf(scope) });
  if (!(found instanceof Promise)) return found;
  return found.catch((error: unknown) => {
    if (!(error instanceof UnusableClientError)) throw error;
    const { reason, status } = UNUSABLE[error.reason];
    const headers = status === 503 ? { 'retry-after': String(error.retryAfter) } : {};
    throw new RefusedPage(reason, { value: client_id, explanation: error.message }, { status, headers });
  });
};

/** The client that a browser was sent by. Errors here are shown on a page, because there is no safe place to redirect to. */
const findClient = (
  form: Parameters,
  scope: RequestScope,
  services: AuthorizationRequestServices,
): MaybePromise<Client> => {
  for (const name of ['client_id', 'redirect_uri']) {
    const problem = form.problem(name);
    if (problem !== undefined) throw new PageError('invalid_request', { explanation: problem });
  }
  const client_id = form.get('client_id');
  if (client_id === undefined)
    throw new RefusedPage('missing_client_id', {
      explanation: 'The parameter client_id is missing.',
    });
  const known = (client: Client | undefined): Client => {
    if (client !== undefined) return client;
    throw new RefusedPage(unknownClient(client_id, services), {
      reason: 'unknown_client',
      value: client_id,
      explanation: `There is no client ${quoted(client_id)} in options.clients, or it is disabled.`,
    });
  };
  const looking = lookUp(client_id, scope, services);
  return looking instanceof Promise ? looking.then(known) : known(looking);
};

const mayRedirectTo = (
  uri: string,
  { redirectUris }: Client,
  { allowLocalhostRedirects }: AuthorizationRequestServices,
): boolean => redirectUris.some((registered) => redirectUriMatches(uri, registered, allowLocalhostRedirects));

/** Where the client wants its response. */
const findRedirectUri = (form: Parameters, client: Client, services: AuthorizationRequestServices): string => {
  const { client_id } = client;
  const requested = form.get('redirect_uri');
  if (requested === undefined) {
    const [only, another] = client.redirectUris;
    if (only === undefined || another !== undefined)
      throw new RefusedPage(
        'missing_redirect_uri',
        {
          client_id,
          explanation: `The parameter redirect_uri is missing, and the client ${quoted(client_id)} has not registered exactly one.`,
        },
        { back: backTo(client) },
      );
    return only;
  }
  if (!mayRedirectTo(requested, client, services)) {
    const registered = client.redirectUris.slice(0, MAX_LISTED_URIS).map(quoted).join(', ') || 'none';
    throw new RefusedPage(
      'unregistered_redirect_uri',
      {
        value: requested,
        client_id,
        explanation: `The client ${quoted(client_id)} has not registered the redirect_uri ${quoted(requested)}. Its redirect_uris: ${registered}.`,
      },
      { back: backTo(client) },
    );
  }
  return requested;
};

const RESPONSE_TYPE_GRANTS = { code: 'authorization_code', token: 'implicit' } as const;

const isResponseType = (text: string): text is keyof typeof RESPONSE_TYPE_GRANTS =>
  Object.hasOwn(RESPONSE_TYPE_GRANTS, text);

const readResponseType = (form: Parameters, client: Client, grants: ReadonlySet<string>): 'code' | 'token' => {
  const text = form.get('response_type');
  if (text === undefined)
    throw new RefusedRequest('invalid_request', 'The parameter response_type is missing.', {
      reason: 'missing_response_type',
    });
  if (!isResponseType(text) || !grants.has(RESPONSE_TYPE_GRANTS[text])) {
    throw new RefusedRequest('unsupported_response_type', 'The response_type is not supported.', { value: text });
  }
  checkResponseType(text, client, grants);
  return text;
};

const checkResponseType = (
  value: AuthorizationRequest['response_type'],
  client: Client,
  grants: ReadonlySet<string>,
): void => {
  const grant = RESPONSE_TYPE_GRANTS[value];
  if (grants.has(grant) && client.grantTypes.has(grant)) return;
  const reason = 'response_type_not_allowed';
  throw new RefusedRequest('unauthorized_client', 'The client may not use this response_type.', { reason, value });
};

type Challenge = Pick<AuthorizationRequest, 'code_challenge' | 'code_challenge_method'>;

/** A challenge without a method means `plain` (RFC 7636 §4.3), which few clients may use. */
const readChallenge = (form: Parameters, client: Client, response_type: 'code' | 'token'): Challenge => {
  const challenge = form.get('code_challenge');
  const named = form.get('code_challenge_method');
  if (challenge === undefined) {
    if (named !== undefined)
      throw new RefusedRequest('invalid_request', 'The request has a code_challenge_method but no code_challenge.', {
        reason: 'invalid_pkce',
      });
    if (client.requirePkce && response_type === 'code')
      throw new RefusedRequest('invalid_request', 'The client must send a code_challenge.', { reason: 'missing_pkce' });
    return { code_challenge: null, code_challenge_method: null };
  }
  const method = named ?? 'plain';
  if (!isChallengeMethod(method) || !client.challengeMethods.has(method)) {
    throw new RefusedRequest('invalid_request', 'The code_challenge_method is not supported; use S256.', {
      reason: 'invalid_pkce',
      value: method,
    });
  }
  // Events never contain the challenge: with the method plain it is the verifier.
  if (!isChallenge(challenge, method))
    throw new RefusedRequest('invalid_request', 'The code_challenge is malformed.', { reason: 'invalid_pkce' });
  return { code_challenge: challenge, code_challenge_method: method };
};

/** A valid request, and the client that it is from. */
export interface ReadRequest {
  readonly client: Client;
  readonly request: AuthorizationRequest;
}

/** Reads authorization requests. */
export class AuthorizationRequests {
  readonly #given: AuthorizationRequestServices;

  constructor(given: AuthorizationRequestServices) {
    this.#given = given;
  }

  /** The request in encrypted form, in which it travels through the browser. */
  seal(request: AuthorizationRequest): string {
    const { requestSeal, clock } = this.#given;
    return requestSeal.seal(request, requestEnd(request, clock));
  }

  /** What was sealed: for {@link resume}. `undefined` if it is too old, or was changed. */
  open(sealed: string): unknown {
    return this.#given.requestSeal.open(sealed);
  }

  /**
   * Validates an authorization request.
   *
   * @param sender - The client that handed the request over itself, instead of sending a browser with it.
   * @throws PageError until the redirect URI is known, after that {@link RedirectError}.
   */
  async read(form: Parameters, scope: RequestScope, sender?: Client): Promise<ReadRequest> {
    const { issuer, grants, requested, hooks, random, onError } = this.#given;
    const iss = issuer(scope.request);
    const finding = sender ?? findClient(form, scope, this.#given);
    const client = finding instanceof Promise ? await finding : finding;
    const redirect_uri = findRedirectUri(form, client, this.#given);
    const { client_id } = client;
    // A repeated state is not returned: the client could not compare it.
    const state = form.isRepeated('state') ? null : (form.get('state') ?? null);
    const inFragment =
      (form.get('response_type') === 'token' && grants.has('implicit')) || hooks.isInFragment?.(form, client) === true;
    const wantsForm = form.get('response_mode') === 'form_post';
    const isPosted = wantsForm && takesForms(redirect_uri);
    const target: ResponseTarget = { client_id, redirect_uri, state, inFragment, iss, ...(isPosted && { isPosted }) };
    try {
      if (wantsForm && !isPosted)
        throw new OAuthError(
          'invalid_request',
          'The response_mode form_post needs a redirect URI with https, or on loopback.',
        );
      if (form.firstProblem !== undefined) throw new OAuthError('invalid_request', form.firstProblem);
      const response_type = readResponseType(form, client, grants);
      const { code_challenge, code_challenge_method } = readChallenge(form, client, response_type);
      const access = requested.scope(form, client, RESPONSE_TYPE_GRANTS[response_type]);
      const resources = requested.resourcesOfOwner(form, client);
      const isPushed = sender !== undefined;
      const asked = { form, client, scope: access, response_type, isPushed };
      const read = hooks.readRequest && (await hooks.readRequest(asked));
      const request: AuthorizationRequest = {
        id: random.string(16),
        redirect_uri_sent: form.get('redirect_uri') !== undefined,
        response_type,
        code_challenge,
        code_challenge_method,
        scope: access,
        resources,
        // At the end: V8 makes a large object slowly if others are spread in front of its own members.
        ...target,
        ...read,
      };
      return { client, request };
    } catch (error) {
      if (error instanceof PageError && error.code === 'missing_redirect_uri')
        throw new RefusedPage(error.code, { client_id }, error.init);
      throw redirected(error, target, { emit: scope.emit, onError });
    }
  }

  /**
   * Takes up a request that was validated before; only the registration of its client may have changed.
   *
   * @param opened - What our own key has decrypted.
   * @throws PageError without the client or its redirect URI, otherwise {@link RedirectError}.
   */
  async resume(opened: unknown, scope: RequestScope): Promise<ReadRequest> {
    const { grants, onError } = this.#given;
    if (opened === undefined)
      throw new RefusedPage('expired_request', {
        explanation: 'The request is too old, was changed, or was encrypted with a different options.secret.',
      });
    // Only our own key can encrypt it, and nothing else is encrypted for this purpose.
    const request = opened as AuthorizationRequest;
    const { client_id, redirect_uri } = request;
    const client = await lookUp(client_id, scope, this.#given);
    if (client === undefined || !mayRedirectTo(redirect_uri, client, this.#given)) {
      throw new RefusedPage('client_changed', {
        client_id,
        explanation: `The client ${quoted(client_id)} is no longer in options.clients, or no longer has the redirect_uri ${quoted(redirect_uri)}.`,
      });
    }
    try {
      checkResponseType(request.response_type, client, grants);
      checkScope(request.scope, client);
    } catch (error) {
      throw redirected(error, request, { emit: scope.emit, onError });
    }
    return { client, request };
  }
}
