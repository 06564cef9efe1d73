import { OAuthError, tooManyRequests } from '../errors.js';
import type { HttpRequest } from '../http.js';
import { sourceOf } from '../limiter.js';
import type { MaybePromise } from '../ports.js';
import { challenge } from '../responses.js';
import type { AuthenticationMethod, Client } from './client.js';
import { NO_SECRET, secretMatches } from './client-secret.js';
import type { OAuthContext } from './context.js';
import { ASSERTION_TYPE, assertionMatches, claimedClientId } from './jwt/client-assertion.js';
import type { Parameters } from './parameters.js';

const BASIC_CHALLENGE = { 'www-authenticate': challenge('Basic', { realm: 'oauth' }) };

/** Unknown client, wrong secret and wrong method look alike. Who used the header is answered in the header. */
const refused = (byHeader: boolean): OAuthError =>
  new OAuthError('invalid_client', 'Client authentication failed.', byHeader ? { headers: BASIC_CHALLENGE } : {});

/** RFC 6749 §3.1 and RFC 9110 §11: node would silently keep only the first of several. */
export const hasRepeatedAuthorization = (rawHeaders: readonly string[]): boolean => {
  let seen = false;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name?.length !== 13 || name.toLowerCase() !== 'authorization') continue;
    if (seen) return true;
    seen = true;
  }
  return false;
};

/** What every endpoint reads at which clients authenticate. */
export const CLIENT_PARAMETERS = {
  client_id: 'vschar',
  client_secret: 'text',
  client_assertion_type: 'vschar',
  client_assertion: 'vschar',
} as const;

interface Credentials {
  readonly client_id: string;
  /** A secret or an assertion. Absent or empty is none: some clients always send the field. */
  readonly secret: string | undefined;
  readonly method: AuthenticationMethod;
}

const decodeHalf = (text: string): string => (/[+%]/.test(text) ? decodeURIComponent(text.replaceAll('+', ' ')) : text);

/**
 * RFC 6749 §2.3.1: both halves are form-encoded before they are joined, so the first colon is the separator.
 *
 * @returns `undefined` for everything that is no credentials.
 */
export const parseBasic = (header: string): readonly [id: string, secret: string] | undefined => {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header)?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 1) return undefined;
  try {
    return [decodeHalf(text.slice(0, colon)), decodeHalf(text.slice(colon + 1))];
  } catch {
    return undefined;
  }
};

const fromHeader = (header: string, form: Parameters): Credentials => {
  const basic = parseBasic(header);
  if (basic === undefined) throw refused(true);
  const [client_id, secret] = basic;
  if (form.get('client_secret') !== undefined || form.get('client_assertion') !== undefined) {
    throw new OAuthError('invalid_request', 'The client must not authenticate in two ways.');
  }
  const named = form.get('client_id');
  if (named !== undefined && named !== client_id) {
    throw new OAuthError('invalid_request', 'The client_id is not the client that authenticates.');
  }
  return {
    client_id,
    secret: secret === '' ? undefined : secret,
    method: secret === '' ? 'none' : 'client_secret_basic',
  };
};

const fromAssertion = async (assertion: string, form: Parameters): Promise<Credentials> => {
  if (form.get('client_secret') !== undefined)
    throw new OAuthError('invalid_request', 'The client must not authenticate in two ways.');
  if (form.get('client_assertion_type') !== ASSERTION_TYPE) throw refused(false);
  const client_id = await claimedClientId(assertion);
  if (client_id === undefined) throw refused(false);
  const named = form.get('client_id');
  if (named !== undefined && named !== client_id) {
    throw new OAuthError('invalid_request', 'The client_id is not the client that authenticates.');
  }
  return { client_id, secret: assertion, method: 'private_key_jwt' };
};

const fromBody = (form: Parameters): MaybePromise<Credentials> => {
  const assertion = form.get('client_assertion');
  if (assertion !== undefined) return fromAssertion(assertion, form);
  const client_id = form.get('client_id');
  if (client_id === undefined) throw refused(false);
  const secret = form.get('client_secret');
  return { client_id, secret, method: secret === undefined ? 'none' : 'client_secret_post' };
};

/**
 * Finds out which client is calling: a confidential one by its secret, in exactly one place, a public one by its
 * `client_id`.
 *
 * @throws OAuthError `invalid_client`, `invalid_request` for two mechanisms, or status 429 after too many failures.
 */
export const authenticateClient = async (
  request: HttpRequest,
  form: Parameters,
  context: OAuthContext,
): Promise<Client> => {
  const header = request.header('authorization');
  const byHeader = header !== undefined;
  if (byHeader && hasRepeatedAuthorization(request.rawHeaders)) {
    throw new OAuthError('invalid_request', 'The Authorization header must not be repeated.');
  }
  const given = byHeader ? fromHeader(header, form) : fromBody(form);
  const credentials = given instanceof Promise ? await given : given;
  checkLimit(credentials, request, context);
  const registered = context.config.clients.find(credentials.client_id);
  let found: Client | undefined;
  if (registered instanceof Promise) {
    found = await registered;
    checkLimit(credentials, request, context); // Others may have failed in the meantime.
  } else found = registered;
  if (found !== undefined && isSlow(found)) return authenticateInTurn(found, credentials, request, context, byHeader);
  if (found !== undefined) {
    const authentic = isAuthentic(found, credentials, request, context);
    if (authentic instanceof Promise ? await authentic : authentic) return found;
  } else void secretMatches(credentials.secret ?? '', NO_SECRET, 0);
  const counted = context.limiters.client.fail(credentials.client_id, request);
  context.emit?.({ type: 'client.authentication_failed', client_id: credentials.client_id, ip: request.ip });
  await counted;
  throw refused(byHeader);
};

const tooManyFailures = (retryAfter: number): OAuthError =>
  tooManyRequests('Too many failed attempts of this client.', retryAfter);

/** Between this and the comparison nothing may be waited for: who guesses many times at once would not be counted. */
const checkLimit = ({ client_id }: Credentials, request: HttpRequest, context: OAuthContext): void => {
  const retryAfter = context.limiters.client.retryAfter(client_id, request);
  if (retryAfter !== undefined) throw tooManyFailures(retryAfter);
};

/** Whether comparing a secret of this client takes long. */
const isSlow = ({ secrets }: Client): boolean => secrets.some(({ scrypt }) => scrypt !== undefined);

/** A comparison that takes long is made in turn: only as many are under way as there are failures left. */
const authenticateInTurn = async (
  client: Client,
  credentials: Credentials,
  request: HttpRequest,
  context: OAuthContext,
  byHeader: boolean,
): Promise<Client> => {
  const { client_id } = credentials;
  const subjects = [[client_id, sourceOf(request.ip)]];
  const attempt = await context.limiters.client.attempt(subjects, request, async () =>
    (await isAuthentic(client, credentials, request, context)) ? client : undefined,
  );
  if ('retryAfter' in attempt) throw tooManyFailures(attempt.retryAfter);
  if (attempt.result !== undefined) return attempt.result;
  context.emit?.({ type: 'client.authentication_failed', client_id, ip: request.ip });
  throw refused(byHeader);
};

/** No promise where none is needed: that is what most token requests spend their time on. */
const isAuthentic = (
  client: Client,
  credentials: Credentials,
  request: HttpRequest,
  context: OAuthContext,
): MaybePromise<boolean> => {
  if (client.public) return credentials.secret === undefined;
  if (credentials.secret === undefined) return false;
  if (client.jwks !== undefined || credentials.method === 'private_key_jwt') {
    const fits = client.jwks !== undefined && credentials.method === 'private_key_jwt';
    return fits && assertionMatches(credentials.secret, client, context.issuer(request), context);
  }
  const byThisMethod = client.authenticationMethod === undefined || client.authenticationMethod === credentials.method;
  const matches = secretMatches(credentials.secret, client.secrets, context.clock());
  return matches instanceof Promise ? matches.then((matched) => matched && byThisMethod) : matches && byThisMethod;
};
