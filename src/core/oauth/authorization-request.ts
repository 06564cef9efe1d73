import { OAuthError, type OAuthErrorCode, PageError } from '../errors.js';
import type { HttpResponse } from '../http.js';
import { redirect } from '../responses.js';
import type { Client } from './client.js';
import { mayUse, type OAuthContext } from './context.js';
import type { Parameters } from './parameters.js';
import { isChallenge, isChallengeMethod, type ChallengeMethod } from './pkce.js';
import { redirectUriMatches, withFragment, withQuery } from './redirect-uri.js';
import { requestedResources, requestedScope } from './requested-scope.js';

/** The parameters of an authorization request (RFC 6749 §4.1.1, RFC 7636 §4.3, RFC 8707 §2). */
export const AUTHORIZATION_PARAMETERS = {
  response_type: 'vschar',
  client_id: 'vschar',
  redirect_uri: 'uri',
  scope: 'vschar',
  state: 'vschar',
  code_challenge: 'vschar',
  code_challenge_method: 'vschar',
  resource: 'uri',
} as const;

/** Where an answer goes: known as soon as the client and its redirect URI are, and from then on errors go there too. */
export interface ResponseTarget {
  readonly redirect_uri: string;
  readonly state: string | null;
  /** Results and errors of the implicit grant go into the fragment. */
  readonly inFragment: boolean;
  readonly iss: string;
}

/** A request that has passed every check. It travels sealed, so that nothing in it can change on the way. */
export interface AuthorizationRequest extends ResponseTarget {
  readonly id: string;
  readonly client_id: string;
  readonly redirect_uri_sent: boolean;
  readonly response_type: 'code' | 'token';
  readonly scope: readonly string[];
  readonly resources: readonly string[];
  readonly code_challenge: string | null;
  readonly code_challenge_method: ChallengeMethod | null;
}

/** An error that the client is told by a redirect. */
export class RedirectError extends Error {
  override readonly name = 'RedirectError';
  readonly code: OAuthErrorCode;
  readonly target: ResponseTarget;

  constructor(code: OAuthErrorCode, description: string, target: ResponseTarget) {
    super(description);
    this.code = code;
    this.target = target;
  }
}

/** Sends the browser back to the client with the answer, the unchanged state and the issuer (RFC 9207 §2). */
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

/** The client and its redirect URI. What is wrong here is told on a page: there is nowhere safe to redirect to. */
const findClient = async (
  form: Parameters,
  context: OAuthContext,
): Promise<{ client: Client; redirect_uri: string }> => {
  for (const name of ['client_id', 'redirect_uri']) {
    const problem = form.problem(name);
    if (problem !== undefined) throw new PageError(400, problem);
  }
  const client_id = form.get('client_id');
  if (client_id === undefined)
    throw new PageError(400, 'The link that brought you here does not say which application it is for.');
  const client = await context.config.clients.find(client_id);
  if (client === undefined) throw new PageError(400, 'The application that brought you here is not known.');
  const requested = form.get('redirect_uri');
  if (requested === undefined) {
    const [only, another] = client.redirectUris;
    if (only === undefined || another !== undefined)
      throw new PageError(400, 'The link that brought you here does not say where to return to.');
    return { client, redirect_uri: only };
  }
  if (
    !client.redirectUris.some((registered) =>
      redirectUriMatches(requested, registered, context.allowLocalhostRedirects),
    )
  ) {
    throw new PageError(
      400,
      'The application that brought you here wants to return to an address that it has not registered.',
    );
  }
  return { client, redirect_uri: requested };
};

const RESPONSE_TYPE_GRANTS = { code: 'authorization_code', token: 'implicit' } as const;

const isResponseType = (text: string): text is keyof typeof RESPONSE_TYPE_GRANTS =>
  Object.hasOwn(RESPONSE_TYPE_GRANTS, text);

const readResponseType = (form: Parameters, client: Client, context: OAuthContext): 'code' | 'token' => {
  const text = form.get('response_type');
  if (text === undefined) throw new OAuthError('invalid_request', 'The parameter response_type is missing.');
  if (!isResponseType(text) || !context.config.grants.has(RESPONSE_TYPE_GRANTS[text])) {
    throw new OAuthError('unsupported_response_type', 'The response_type is not supported.');
  }
  if (!mayUse(context, client, RESPONSE_TYPE_GRANTS[text])) {
    throw new OAuthError('unauthorized_client', 'The client may not use this response_type.');
  }
  return text;
};

type Challenge = Pick<AuthorizationRequest, 'code_challenge' | 'code_challenge_method'>;

/** A challenge without a method means `plain` (RFC 7636 §4.3), which few clients may use. */
const readChallenge = (form: Parameters, client: Client, response_type: 'code' | 'token'): Challenge => {
  const challenge = form.get('code_challenge');
  const named = form.get('code_challenge_method');
  if (challenge === undefined) {
    if (named !== undefined)
      throw new OAuthError('invalid_request', 'There is a code_challenge_method without a code_challenge.');
    if (client.requirePkce && response_type === 'code')
      throw new OAuthError('invalid_request', 'The client must send a code_challenge.');
    return { code_challenge: null, code_challenge_method: null };
  }
  const method = named ?? 'plain';
  if (!isChallengeMethod(method) || !client.challengeMethods.has(method)) {
    throw new OAuthError('invalid_request', 'The code_challenge_method is not supported; use S256.');
  }
  if (!isChallenge(challenge, method)) throw new OAuthError('invalid_request', 'The code_challenge has a wrong form.');
  return { code_challenge: challenge, code_challenge_method: method };
};

/**
 * Checks an authorization request.
 *
 * @throws PageError while it is not known where to redirect to, from then on {@link RedirectError}.
 */
export const readAuthorizationRequest = async (
  form: Parameters,
  iss: string,
  context: OAuthContext,
): Promise<{ readonly client: Client; readonly request: AuthorizationRequest }> => {
  const { client, redirect_uri } = await findClient(form, context);
  const target: ResponseTarget = {
    redirect_uri,
    // A repeated state is no state that the client could compare with.
    state: form.problem('state')?.includes('repeated') ? null : (form.get('state') ?? null),
    inFragment: form.get('response_type') === 'token' && context.config.grants.has('implicit'),
    iss,
  };
  try {
    if (form.firstProblem !== undefined) throw new OAuthError('invalid_request', form.firstProblem);
    const response_type = readResponseType(form, client, context);
    const request: AuthorizationRequest = {
      ...target,
      id: context.random.string(16),
      client_id: client.client_id,
      redirect_uri_sent: form.get('redirect_uri') !== undefined,
      response_type,
      ...readChallenge(form, client, response_type),
      scope: requestedScope(form, client, context),
      resources: requestedResources(form, context),
    };
    return { client, request };
  } catch (error) {
    if (error instanceof OAuthError) throw new RedirectError(error.code, error.message, target);
    context.onError(error);
    throw new RedirectError('server_error', 'The server could not handle this request.', target);
  }
};

/**
 * Takes a request that was sealed before. It was checked then; what may have changed since is whether the client still
 * exists and still has this redirect URI.
 */
export const resumeAuthorizationRequest = async (
  sealed: string,
  context: OAuthContext,
): Promise<{ readonly client: Client; readonly request: AuthorizationRequest }> => {
  const opened = context.requestSeal.open(sealed);
  if (opened === undefined)
    throw new PageError(400, 'This took too long, or the link is damaged. Go back to the application and start again.');
  // Only our own key could have sealed it, and this is the only thing that is sealed for this purpose.
  const request = opened as AuthorizationRequest;
  const client = await context.config.clients.find(request.client_id);
  if (
    client === undefined ||
    !client.redirectUris.some((uri) => redirectUriMatches(request.redirect_uri, uri, context.allowLocalhostRedirects))
  ) {
    throw new PageError(400, 'The application that brought you here is not known any more.');
  }
  return { client, request };
};
