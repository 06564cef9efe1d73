import { isUtf8 } from 'node:buffer';
import { OAuthError, tooManyRequests } from '../../base/errors.js';
import { type HttpRequest, hasRepeatedAuthorization } from '../../base/http/messages.js';
import { challenge } from '../../base/http/responses.js';
import { decodeUrlencoded } from '../../base/http/urlencoded.js';
import { guessAt } from '../../base/limits/guess-limiter.js';
import type { MaybePromise } from '../../base/ports.js';
import { chosenSecretMatches, NO_SECRET, secretMatches } from '../clients/client-secret.js';
import type { AuthenticationMethod, Client } from '../clients/client.js';
import { type ClientLookup, UnusableClientError } from '../clients/own-registry.js';
import { LIMITS } from '../facts/limits.js';
import { GRAMMARS, type Parameters } from '../facts/parameters.js';
import { ASSERTION_TYPE, assertionMatches, claimOf } from './client-assertion.js';
import { callerOf, type OAuthContext } from './context.js';

const BASIC_CHALLENGE = { 'www-authenticate': challenge('Basic', { realm: 'oauth' }) };

/** Where a client sends its credentials: in the `Authorization` header, or in the form. */
type Place = 'header' | 'form';

/** Unknown client, wrong secret and wrong method lead to the same error. A client that used the header gets a challenge header. */
const refused = (place: Place): OAuthError =>
  new OAuthError('invalid_client', 'Client authentication failed.', {
    ...(place === 'header' && { headers: BASIC_CHALLENGE }),
  });

/** The parameters read by all endpoints with client authentication. */
export const CLIENT_PARAMETERS = {
  client_id: 'client_id',
  client_secret: 'text',
  client_assertion_type: 'vschar',
  client_assertion: 'vschar',
} as const;

interface Credentials {
  readonly client_id: string;
  /** A secret or an assertion. Empty counts as absent, because some clients always send the field. */
  readonly secret: string | undefined;
  readonly method: AuthenticationMethod;
  readonly place: Place;
  /** The key named by an assertion. */
  readonly kid?: string | undefined;
}

/** The claimed identity of a client, to be verified. */
interface Claim {
  readonly credentials: Credentials;
  readonly request: HttpRequest;
  readonly context: OAuthContext;
}

/**
 * RFC 6749 §2.3.1: both parts are form-encoded before they are joined, so the first colon is the separator. They have
 * the grammar of `client_id` and `client_secret` in a body.
 *
 * @returns `undefined` if these are not credentials.
 */
export const parseBasic = (header: string): readonly [id: string, secret: string] | undefined => {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header)?.[1];
  if (encoded === undefined) return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  if (!isUtf8(bytes)) return undefined;
  const text = bytes.toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 1) return undefined;
  const [id, secret] = [decodeUrlencoded(text.slice(0, colon)), decodeUrlencoded(text.slice(colon + 1))];
  if (id === undefined || secret === undefined) return undefined;
  return GRAMMARS[CLIENT_PARAMETERS.client_id].test(id) && GRAMMARS[CLIENT_PARAMETERS.client_secret].test(secret)
    ? [id, secret]
    : undefined;
};

const fromHeader = (header: string, form: Parameters): Credentials => {
  const basic = parseBasic(header);
  if (basic === undefined) throw refused('header');
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
    place: 'header',
  };
};

const fromAssertion = async (assertion: string, form: Parameters): Promise<Credentials> => {
  if (form.get('client_secret') !== undefined)
    throw new OAuthError('invalid_request', 'The client must not authenticate in two ways.');
  if (form.get('client_assertion_type') !== ASSERTION_TYPE) throw refused('form');
  const claim = claimOf(assertion);
  if (claim === undefined) throw refused('form');
  const { client_id, kid } = claim;
  const named = form.get('client_id');
  if (named !== undefined && named !== client_id) {
    throw new OAuthError('invalid_request', 'The client_id is not the client that authenticates.');
  }
  return { client_id, secret: assertion, method: 'private_key_jwt', place: 'form', kid };
};

const fromForm = (form: Parameters): Credentials => {
  const client_id = form.get('client_id');
  if (client_id === undefined) throw refused('form');
  const secret = form.get('client_secret');
  return { client_id, secret, method: secret === undefined ? 'none' : 'client_secret_post', place: 'form' };
};

const readCredentials = (request: HttpRequest, form: Parameters): MaybePromise<Credentials> => {
  const header = request.header('authorization');
  if (header !== undefined) {
    if (hasRepeatedAuthorization(request.rawHeaders))
      throw new OAuthError('invalid_request', 'The Authorization header must not be repeated.');
    return fromHeader(header, form);
  }
  const assertion = form.get('client_assertion');
  return assertion === undefined ? fromForm(form) : fromAssertion(assertion, form);
};

/** Where it requests a token, or an authorization, a client may be new to this process; a refreshing public client is not. */
const lookupFor = (
  { method, kid }: Credentials,
  request: HttpRequest,
  form: Parameters,
  context: OAuthContext,
): ClientLookup => {
  const requested = form.get('grant_type') ?? form.get('response_type');
  const isSigned = method === 'private_key_jwt';
  const mayAsk = requested !== undefined && (isSigned || requested !== 'refresh_token');
  return {
    caller: mayAsk ? callerOf(request, context) : undefined,
    assertion: isSigned ? { kid } : undefined,
  };
};

/** A client whose description is rejected counts as unknown; one that cannot be looked up may exist. */
const lookUp = async (looking: Promise<Client | undefined>): Promise<Client | undefined> => {
  try {
    return await looking;
  } catch (error) {
    if (!(error instanceof UnusableClientError)) throw error;
    if (error.reason === 'refused') return undefined;
    throw new OAuthError('temporarily_unavailable', 'The client cannot be looked up right now. Try again later.', {
      headers: { 'retry-after': String(error.retryAfter) },
    });
  }
};

/**
 * Identifies and authenticates the calling client: a confidential one by its secret, in exactly one place, a public one by its
 * `client_id`.
 *
 * @throws OAuthError `invalid_client`, `invalid_request` for two mechanisms, or status 429 after too many failures.
 */
export const authenticateClient = (
  request: HttpRequest,
  form: Parameters,
  context: OAuthContext,
): MaybePromise<Client> => {
  const read = readCredentials(request, form);
  return read instanceof Promise
    ? read.then((credentials) => identified(credentials, request, form, context))
    : identified(read, request, form, context);
};

/** Nothing is awaited for a listed client with a random secret: most requests come from such a client. */
const identified = (
  credentials: Credentials,
  request: HttpRequest,
  form: Parameters,
  context: OAuthContext,
): MaybePromise<Client> => {
  const claim: Claim = { credentials, request, context };
  const found = context.config.clients.find(credentials.client_id, lookupFor(credentials, request, form, context));
  return found instanceof Promise
    ? lookUp(found).then((client) => authenticated(client, claim))
    : authenticated(found, claim);
};

const authenticated = (client: Client | undefined, claim: Claim): MaybePromise<Client> => {
  const proven = client !== undefined && hasChosenSecret(client) ? proveByGuess(client, claim) : prove(client, claim);
  const checked = (found: Client | undefined): Client => {
    if (found !== undefined) return found;
    throw refused(claim.credentials.place);
  };
  return proven instanceof Promise ? proven.then(checked) : checked(proven);
};

const tooManyFailures = (retryAfter: number): OAuthError =>
  tooManyRequests('Too many failed attempts of this client.', retryAfter);

const reportFailure = ({ credentials: { client_id }, context }: Claim): void =>
  context.emit?.({ type: 'client.authentication_failed', client_id });

/** Whether a secret of this client may have been chosen by a person, and could be guessed. */
const hasChosenSecret = ({ secrets }: Client): boolean => secrets.some(({ scrypt }) => scrypt !== undefined);

/** Random secrets and signatures cannot be guessed, so only failures are counted, after the comparison. */
const prove = (client: Client | undefined, claim: Claim): MaybePromise<Client | undefined> => {
  const { credentials, request, context } = claim;
  const obstacle = context.limiters.client.obstacle(credentials.client_id, request);
  if (typeof obstacle === 'number') throw tooManyFailures(obstacle);
  if (obstacle !== undefined) return obstacle.then(() => prove(client, claim));
  // Only a signature is awaited between here and the count, or simultaneous guesses would not be counted.
  const isProven = hasProof(client, claim);
  const decided = (is: boolean): MaybePromise<Client | undefined> => (is ? client : proveAgain(client, claim));
  return isProven instanceof Promise ? isProven.then(decided) : decided(isProven);
};

const hasProof = (client: Client | undefined, claim: Claim): MaybePromise<boolean> =>
  claim.credentials.method === 'private_key_jwt'
    ? isSignedBy(client, claim)
    : hasRandomSecret(client, claim.credentials, claim.context.clock());

/** Another process may have changed the secret or the keys; a refusal is final for most clients. A registry reads a client again seldom. */
const proveAgain = (client: Client | undefined, claim: Claim): Promise<Client | undefined> => {
  const looking = client && claim.context.config.clients.findAgain(client);
  if (looking === undefined) return countFailure(client, claim);
  return looking.then(async (found) => {
    if (found === undefined || found === client) return countFailure(client, claim);
    if (hasChosenSecret(found)) return proveByGuess(found, claim);
    return (await hasProof(found, claim)) ? found : countFailure(client, claim);
  });
};

/** @returns nothing, for the proof that failed. */
const countFailure = async (client: Client | undefined, claim: Claim): Promise<undefined> => {
  const { credentials, request, context } = claim;
  const { client_id } = credentials;
  const limiter = context.limiters.client;
  const counted = client === undefined ? limiter.failStranger(client_id, request) : limiter.fail(client_id, request);
  reportFailure(claim);
  const retryAfter = await counted;
  if (typeof retryAfter === 'number') throw tooManyFailures(retryAfter);
  return undefined;
};

/** Attempts at secrets chosen by people are counted before they are compared. */
const proveByGuess = async (client: Client, claim: Claim): Promise<Client | undefined> => {
  const { credentials, request, context } = claim;
  const guess = guessAt(credentials.client_id, request, {
    isKnown: true,
    failures: LIMITS.clientFailures,
    ofSource: context.limitAt(request.ip, LIMITS.sourceFailures),
  });
  const attempt = await context.limiters.chosenSecret.attempt(guess, request, async () => {
    if (await hasSecret(client, claim)) return client;
    const found = await context.config.clients.findAgain(client);
    return found !== undefined && found !== client && (await hasSecret(found, claim)) ? found : undefined;
  });
  if ('retryAfter' in attempt) throw tooManyFailures(attempt.retryAfter);
  if (attempt.result === undefined) reportFailure(claim);
  return attempt.result;
};

const isSignedBy = async (client: Client | undefined, { credentials, request, context }: Claim): Promise<boolean> =>
  client?.jwks !== undefined && assertionMatches(credentials.secret ?? '', client, context.issuer(request), context);

const mayUseMethod = ({ authenticationMethod }: Client, { method }: Credentials): boolean =>
  authenticationMethod === undefined || authenticationMethod === method;

/** Whether a client authenticates without chosen secrets. An unknown client takes the same time. */
const hasRandomSecret = (client: Client | undefined, credentials: Credentials, now: number): boolean => {
  const { secret } = credentials;
  if (client?.public === true) return secret === undefined;
  const matches = secretMatches(secret ?? '', client?.secrets ?? NO_SECRET, now);
  return matches && secret !== undefined && client !== undefined && mayUseMethod(client, credentials);
};

/** The same for a client whose secrets may be chosen by people. */
const hasSecret = async (client: Client, { credentials, request, context }: Claim): Promise<boolean> => {
  const { secret, method } = credentials;
  if (secret === undefined || method === 'private_key_jwt') return false;
  const isRandom = secretMatches(secret, client.secrets, context.clock());
  const isChosen = await chosenSecretMatches(secret, client.secrets, context.clock(), request, context.limitAt);
  return (isRandom || isChosen) && mayUseMethod(client, credentials);
};
