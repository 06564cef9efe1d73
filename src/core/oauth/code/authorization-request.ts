import { OAuthError, type OAuthErrorCode } from '../../base/errors.js';
import type { HttpRequest, HttpResponse } from '../../base/http/messages.js';
import { protocolError, redirect, serverError } from '../../base/http/responses.js';
import type { MaybePromise } from '../../base/ports.js';
import type { Client } from '../clients/client.js';
import { UnusableClientError } from '../clients/own-registry.js';
import { isChallenge, isChallengeMethod, type ChallengeMethod } from '../clients/pkce.js';
import { redirectUriMatches, withFragment, withQuery } from '../clients/redirect-uri.js';
import { isRegistered } from '../clients/registrations.js';
import type { Parameters } from '../facts/parameters.js';
import { callerOf, mayUse, type OAuthContext } from '../kernel/context.js';
import { backTo, RefusedPage, RefusedRequest, printable, reportSent } from '../kernel/refusal.js';
import { checkScope, ownerResources, requestedScope } from '../kernel/requested-scope.js';
import { PageError } from '../pages/page-error.js';
import type { KeptParameters } from '../records/chain-record.js';
import type { AskedSignIn } from '../sign-in/asked-sign-in.js';

/** Seconds that signing in and deciding may take. */
export const AUTHORIZATION_REQUEST_LIFETIME = 600;

/** Characters of a request that travels through the browser: encrypted, it fits into the 8 KB that many proxies allow a URL. */
export const MAX_IN_BROWSER = 5000;

/** The parameters of an authorization request (RFC 6749 §4.1.1, RFC 7636 §4.3, RFC 8707 §2, OpenID Connect Core 1.0 §3.1.2.1). */
export const AUTHORIZATION_PARAMETERS = {
  response_type: 'vschar',
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
export interface ResponseTarget {
  readonly client_id: string;
  readonly redirect_uri: string;
  readonly state: string | null;
  /** The implicit grant returns results and errors in the fragment. */
  readonly inFragment: boolean;
  readonly iss: string;
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
  /** For a request that was handed over before: when its reference ends, in milliseconds since the epoch. It is answered once. */
  readonly pushedUntil?: number;
  /** The languages it asks for, if its address does not name them. */
  readonly ui_locales?: string;
}

/** When a request ends, in milliseconds since the epoch. No copy of one that was handed over before lives longer. */
export const requestEnd = ({ pushedUntil }: AuthorizationRequest, { clock }: OAuthContext): number =>
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
  context: OAuthContext,
): PageError | RedirectError => {
  if (error instanceof PageError) return error;
  if (error instanceof OAuthError) reportSent(error, error.code, target.client_id, context);
  const known = protocolError(error, context.onError);
  return new RedirectError(known instanceof OAuthError ? known : serverError(), target);
};

/** Redirects the browser to the client with the response, the unchanged state and the issuer (RFC 9207 §2). */
export const authorizationResponse = (
  target: ResponseTarget,
  parameters: Readonly<Record<string, string>>,
  status: 302 | 303,
): HttpResponse => {
  const answer = new URLSearchParams(parameters);
  if (target.state !== null) answer.set('state', target.state);
  answer.set('iss', target.iss);
  return redirect((target.inFragment ? withFragment : withQuery)(target.redirect_uri, answer), status);
};

const quoted = (text: string): string => JSON.stringify(printable(text));

/** The maximum number of redirect URIs in an explanation. */
const MAX_LISTED_URIS = 10;

/** A client that has registered itself cannot be told that it is unknown by now; its owner can. */
const unknownClient = (client_id: string, { config }: OAuthContext): 'unknown_registration' | 'unknown_client' =>
  config.registrations !== undefined && isRegistered(client_id) ? 'unknown_registration' : 'unknown_client';

/** The page where a client cannot be used. */
const UNUSABLE = {
  unavailable: { reason: 'client_unavailable', status: 503 },
  refused: { reason: 'client_refused', status: 400 },
} as const;

/** Looks up a client for a browser it has sent here. If that fails, only the user in front of the page learns why. */
const lookUp = (client_id: string, request: HttpRequest, context: OAuthContext): MaybePromise<Client | undefined> => {
  const found = context.config.clients.find(client_id, { caller: callerOf(request, context) });
  if (!(found instanceof Promise)) return found;
  return found.catch((error: unknown) => {
    if (!(error instanceof UnusableClientError)) throw error;
    const { reason, status } = UNUSABLE[error.reason];
    const headers = status === 503 ? { 'retry-after': String(error.retryAfter) } : {};
    throw new RefusedPage(reason, { value: client_id, explanation: error.message }, { status, headers });
  });
};

/** The client that a browser was sent by. Errors here are shown on a page, because there is no safe place to redirect to. */
const findClient = async (form: Parameters, request: HttpRequest, context: OAuthContext): Promise<Client> => {
  for (const name of ['client_id', 'redirect_uri']) {
    const problem = form.problem(name);
    if (problem !== undefined) throw new PageError('invalid_request', { explanation: problem });
  }
  const client_id = form.get('client_id');
  if (client_id === undefined)
    throw new RefusedPage('missing_client_id', {
      explanation: 'The parameter client_id is missing.',
    });
  const found = lookUp(client_id, request, context);
  const client = found instanceof Promise ? await found : found;
  if (client === undefined) {
    throw new RefusedPage(unknownClient(client_id, context), {
      reason: 'unknown_client',
      value: client_id,
      explanation: `There is no client ${quoted(client_id)} in options.clients, or it is disabled.`,
    });
  }
  return client;
};

const mayRedirectTo = (uri: string, { redirectUris }: Client, { allowLocalhostRedirects }: OAuthContext): boolean =>
  redirectUris.some((registered) => redirectUriMatches(uri, registered, allowLocalhostRedirects));

/** Where the client wants its response. */
const findRedirectUri = (form: Parameters, client: Client, context: OAuthContext): string => {
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
  if (!mayRedirectTo(requested, client, context)) {
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

const readResponseType = (form: Parameters, client: Client, context: OAuthContext): 'code' | 'token' => {
  const text = form.get('response_type');
  if (text === undefined)
    throw new RefusedRequest('invalid_request', 'The parameter response_type is missing.', {
      reason: 'missing_response_type',
    });
  if (!isResponseType(text) || !context.config.grants.has(RESPONSE_TYPE_GRANTS[text])) {
    throw new RefusedRequest('unsupported_response_type', 'The response_type is not supported.', { value: text });
  }
  checkResponseType(text, client, context);
  return text;
};

const checkResponseType = (
  value: AuthorizationRequest['response_type'],
  client: Client,
  context: OAuthContext,
): void => {
  if (mayUse(context, client, RESPONSE_TYPE_GRANTS[value])) return;
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

/**
 * Validates an authorization request.
 *
 * @param sender - The client that handed the request over itself, instead of sending a browser with it.
 * @throws PageError until the redirect URI is known, after that {@link RedirectError}.
 */
export const readAuthorizationRequest = async (
  form: Parameters,
  http: HttpRequest,
  context: OAuthContext,
  sender?: Client,
): Promise<{ readonly client: Client; readonly request: AuthorizationRequest }> => {
  const iss = context.issuer(http);
  const client = sender ?? (await findClient(form, http, context));
  const redirect_uri = findRedirectUri(form, client, context);
  const { client_id } = client;
  // A repeated state is not returned: the client could not compare it.
  const state = form.isRepeated('state') ? null : (form.get('state') ?? null);
  const inFragment =
    (form.get('response_type') === 'token' && context.config.grants.has('implicit')) ||
    context.hooks.isInFragment?.(form, client) === true;
  const target: ResponseTarget = { client_id, redirect_uri, state, inFragment, iss };
  try {
    if (form.firstProblem !== undefined) throw new OAuthError('invalid_request', form.firstProblem);
    const response_type = readResponseType(form, client, context);
    const { code_challenge, code_challenge_method } = readChallenge(form, client, response_type);
    const scope = requestedScope(form, client, RESPONSE_TYPE_GRANTS[response_type], context);
    const resources = ownerResources(form, client, context);
    const read = await context.hooks.readRequest?.({
      form,
      client,
      scope,
      response_type,
      isPushed: sender !== undefined,
    });
    const request: AuthorizationRequest = {
      client_id,
      redirect_uri,
      state,
      inFragment,
      iss,
      id: context.random.string(16),
      redirect_uri_sent: form.get('redirect_uri') !== undefined,
      response_type,
      code_challenge,
      code_challenge_method,
      scope,
      resources,
      ...read,
    };
    return { client, request };
  } catch (error) {
    throw redirected(error, target, context);
  }
};

/**
 * Takes up a request that was validated before; only the registration of its client may have changed.
 *
 * @param opened - What our own key has decrypted.
 * @throws PageError without the client or its redirect URI, otherwise {@link RedirectError}.
 */
export const resumeAuthorizationRequest = async (
  opened: unknown,
  http: HttpRequest,
  context: OAuthContext,
): Promise<{ readonly client: Client; readonly request: AuthorizationRequest }> => {
  if (opened === undefined)
    throw new RefusedPage('expired_request', {
      explanation: 'The request is too old, was changed, or was encrypted with a different options.secret.',
    });
  // Only our own key can encrypt it, and nothing else is encrypted for this purpose.
  const request = opened as AuthorizationRequest;
  const client = await lookUp(request.client_id, http, context);
  if (client === undefined || !mayRedirectTo(request.redirect_uri, client, context)) {
    const { client_id } = request;
    throw new RefusedPage('client_changed', {
      client_id,
      explanation: `The client ${quoted(client_id)} is no longer in options.clients, or no longer has the redirect_uri ${quoted(request.redirect_uri)}.`,
    });
  }
  try {
    checkResponseType(request.response_type, client, context);
    checkScope(request.scope, client);
  } catch (error) {
    throw redirected(error, request, context);
  }
  return { client, request };
};
