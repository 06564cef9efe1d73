import { isUtf8 } from 'node:buffer';
import { OAuthError, tooManyRequests } from '../../base/errors.js';
import { type HttpRequest, hasRepeatedAuthorization } from '../../base/http/messages.js';
import { challenge } from '../../base/http/responses.js';
import { decodeUrlencoded } from '../../base/http/urlencoded.js';
import type { FailureLimiter } from '../../base/limits/failure-limiter.js';
import { guessAt, type GuessLimiter } from '../../base/limits/guess-limiter.js';
import type { LimitAt } from '../../base/limits/source.js';
import type { MaybePromise } from '../../base/ports.js';
import type { ReadPublishedKeys } from '../../feature/keys.js';
import { type ClientFinder, type ClientLookup, UnusableClientError } from '../clients/client-finder.js';
import { chosenSecretMatches, NO_SECRET, secretMatches } from '../clients/client-secret.js';
import type { AuthenticationMethod, Client } from '../clients/client.js';
import { LIMITS } from '../facts/limits.js';
import { GRAMMARS, type Parameters } from '../facts/parameters.js';
import type { Jwk } from '../keys/jwk.js';
import { ASSERTION_TYPE, assertionMatches, type AssertionServices, claimOf } from './client-assertion.js';
import type { OAuthHooks } from './hooks.js';
import { callerOf, type RequestScope } from './request-scope.js';

const BASIC_CHALLENGE = { 'www-authenticate': challenge('Basic', { realm: 'oauth' }) };

/** Where a client sends its credentials: in the `Authorization` header, or in the form. */
type Place = 'header' | 'form';

/** Unknown client, wrong secret and wrong method lead to the same error. A client that used the header gets a challenge header. */
const refused = (place: Place, more = ''): OAuthError =>
  new OAuthError('invalid_client', `Client authentication failed.${more}`, {
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
interface Claim extends RequestScope {
  readonly credentials: Credentials;
}

/** What identifies and authenticates clients. */
export interface ClientAuthenticationServices extends AssertionServices {
  readonly clients: ClientFinder & {
    /** A client as its registry reads it again, before it is refused. Nothing if no registry reads it now. */
    findAgain(client: Client): Promise<Client | undefined> | undefined;
  };
  /** Limits guesses at random secrets of clients, and at signatures. */
  readonly clientLimit: FailureLimiter;
  /** Limits guesses at client secrets chosen by people. */
  readonly chosenSecretLimit: GuessLimiter;
  readonly limitAt: LimitAt;
  /** What features authenticate. */
  readonly hooks: Pick<OAuthHooks, 'authenticate'>;
  /** Reads the keys at the `jwks_uri` of a client. */
  readonly publishedKeys: ReadPublishedKeys;
  issuer(request: HttpRequest): string;
}

/**
 * RFC 6749 §2.3.1: both parts are form-encoded before they are joined, so the first colon is the separator. They have
 * the grammar of `client_id` and `client_secret` in a body.
 *
 * @returns `undefined` if these are not credentials.
 */
const parseBasic = (header: string): readonly [id: string, secret: string] | undefined => {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header)?.[1];
  if (encoded === undefined) return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  if (!isUtf8(bytes)) return undefined;
  const text = bytes.toString('utf8');
  // Without a colon, the name of a public client, as okta-auth-js sends it: no other client may come without a secret.
  const end = text.includes(':') ? text.indexOf(':') : text.length;
  const [id, secret] = [decodeUrlencoded(text.slice(0, end)), decodeUrlencoded(text.slice(end + 1))];
  if (id === undefined || id === '' || secret === undefined) return undefined;
  return GRAMMARS[CLIENT_PARAMETERS.client_id].test(id) && GRAMMARS[CLIENT_PARAMETERS.client_secret].test(secret)
    ? [id, secret]
    : undefined;
};

/** @throws OAuthError if the form names another client. */
const checkNamed = (form: Parameters, client_id: string): void => {
  const named = form.get('client_id');
  if (named !== undefined && named !== client_id)
    throw new OAuthError('invalid_request', 'The client_id is not the client that authenticates.');
};

const fromHeader = (header: string, form: Parameters): Credentials => {
  const basic = parseBasic(header);
  if (basic === undefined) throw refused('header');
  const [client_id, secret] = basic;
  if (form.get('client_secret') !== undefined || form.get('client_assertion') !== undefined) {
    throw new OAuthError('invalid_request', 'The client must not authenticate in two ways.');
  }
  checkNamed(form, client_id);
  return {
    client_id,
    secret: secret === '' ? undefined : secret,
    method: secret === '' ? 'none' : 'client_secret_basic',
    place: 'header',
  };
};

const fromAssertion = (assertion: string, form: Parameters): Credentials => {
  if (form.get('client_secret') !== undefined)
    throw new OAuthError('invalid_request', 'The client must not authenticate in two ways.');
  if (form.get('client_assertion_type') !== ASSERTION_TYPE) throw refused('form');
  const claim = claimOf(assertion);
  if (claim === undefined) throw refused('form');
  const { client_id, kid } = claim;
  checkNamed(form, client_id);
  return { client_id, secret: assertion, method: 'private_key_jwt', place: 'form', kid };
};

const fromForm = (form: Parameters): Credentials => {
  const client_id = form.get('client_id');
  if (client_id === undefined) throw refused('form', ' There is no Authorization header and no client_id in the body.');
  const secret = form.get('client_secret');
  return { client_id, secret, method: secret === undefined ? 'none' : 'client_secret_post', place: 'form' };
};

const readCredentials = (request: HttpRequest, form: Parameters): Credentials => {
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
const lookupFor = (claim: Claim, form: Parameters): ClientLookup => {
  const requested = form.get('grant_type') ?? form.get('response_type');
  const isSigned = claim.credentials.method === 'private_key_jwt';
  const mayAsk = requested !== undefined && (isSigned || requested !== 'refresh_token');
  return {
    caller: mayAsk ? callerOf(claim) : undefined,
    assertion: isSigned ? { kid: claim.credentials.kid } : undefined,
  };
};

/** A client whose description is rejected counts as unknown; one that cannot be looked up may exist. */
const unusable = (error: unknown): undefined => {
  if (!(error instanceof UnusableClientError)) throw error;
  if (error.reason === 'refused') return undefined;
  throw new OAuthError('temporarily_unavailable', 'The client cannot be looked up right now. Try again later.', {
    headers: { 'retry-after': String(error.retryAfter) },
  });
};

const tooManyFailures = (retryAfter: number): OAuthError =>
  tooManyRequests('Too many failed attempts of this client.', retryAfter);

/** Whether a secret of this client may have been chosen by a person, and could be guessed. */
const hasChosenSecret = ({ secrets }: Client): boolean => secrets.some(({ scrypt }) => scrypt !== undefined);

const mayUseMethod = ({ authenticationMethod }: Client, { method }: Credentials): boolean =>
  authenticationMethod === undefined || authenticationMethod === method;

/** Whether a client authenticates without chosen secrets. An unknown client takes the same time. */
const hasRandomSecret = (client: Client | undefined, credentials: Credentials, now: number): boolean => {
  const { secret } = credentials;
  if (client?.public === true) return secret === undefined;
  const matches = secretMatches(secret ?? '', client?.secrets ?? NO_SECRET, now);
  return matches && secret !== undefined && client !== undefined && mayUseMethod(client, credentials);
};

/**
 * Identifies and authenticates the calling client: a confidential one by its secret, in exactly one place, a public one by its
 * `client_id`.
 *
 * @throws OAuthError `invalid_client`, `invalid_request` for two mechanisms, or status 429 after too many failures.
 */
export type AuthenticateClient = (scope: RequestScope, form: Parameters) => MaybePromise<Client>;

/** Authenticates the clients that send requests. */
export class ClientAuthentication {
  readonly #given: ClientAuthenticationServices;

  constructor(given: ClientAuthenticationServices) {
    this.#given = given;
  }

  /** @see {@link AuthenticateClient} */
  authenticate(scope: RequestScope, form: Parameters): MaybePromise<Client> {
    if (this.#given.hooks.authenticate === undefined) return this.#identify(scope, form);
    return this.#vouchedFor(scope, form).then((vouched) => vouched ?? this.#identify(scope, form));
  }

  #identify({ request, emit }: RequestScope, form: Parameters): MaybePromise<Client> {
    const claim: Claim = { request, emit, credentials: readCredentials(request, form) };
    const found = this.#given.clients.find(claim.credentials.client_id, lookupFor(claim, form));
    return found instanceof Promise
      ? found.catch(unusable).then((client) => this.#prove(client, claim))
      : this.#prove(found, claim);
  }

  /** The client that a feature authenticates, if it does. Nobody can vouch for a public client, because any program could be it. */
  async #vouchedFor(scope: RequestScope, form: Parameters): Promise<Client | undefined> {
    const { hooks, clients } = this.#given;
    if (scope.request.header('authorization') !== undefined || form.get('client_secret') !== undefined)
      return undefined;
    const client_id = await hooks.authenticate?.({ ...scope, form });
    if (client_id === undefined) return undefined;
    checkNamed(form, client_id);
    const isNew = form.get('grant_type') !== undefined;
    const found = Promise.resolve(clients.find(client_id, { caller: isNew ? callerOf(scope) : undefined }));
    const client = await found.catch(unusable);
    if (client === undefined || client.public) throw refused('form');
    return client;
  }

  #prove(client: Client | undefined, claim: Claim): MaybePromise<Client> {
    if (client !== undefined && hasChosenSecret(client)) return this.#proveByGuess(client, claim);
    const keys = this.#keysOf(client, claim.credentials);
    return keys instanceof Promise
      ? keys.then((read) => this.#proveWith(client, claim, read))
      : this.#proveWith(client, claim, keys);
  }

  /** Random secrets and signatures cannot be guessed, so only failures are counted, after the comparison. */
  #proveWith(client: Client | undefined, claim: Claim, keys: readonly Jwk[] | undefined): MaybePromise<Client> {
    const obstacle = this.#given.clientLimit.obstacle(claim.credentials.client_id, claim.request);
    if (obstacle instanceof Promise) return obstacle.then(() => this.#proveWith(client, claim, keys));
    if (obstacle !== undefined) throw tooManyFailures(obstacle);
    // Only a signature is awaited between here and the count, or simultaneous guesses would not be counted.
    const proof = this.#hasProof(client, claim, keys);
    const concluded = (isProven: boolean): MaybePromise<Client> =>
      isProven && client !== undefined ? client : this.#proveAgain(client, claim);
    return proof instanceof Promise ? proof.then(concluded) : concluded(proof);
  }

  /** Another process may have changed the secret or the keys; a refusal is final for most clients. A registry reads a client again seldom. */
  async #proveAgain(client: Client | undefined, claim: Claim): Promise<Client> {
    const looking = client && this.#given.clients.findAgain(client);
    const again = looking && (await looking);
    if (again === undefined || again === client) return this.#countFailure(client, claim);
    if (hasChosenSecret(again)) return this.#proveByGuess(again, claim);
    const newKeys = await this.#keysOf(again, claim.credentials);
    return (await this.#hasProof(again, claim, newKeys)) ? again : this.#countFailure(client, claim);
  }

  /** The keys of a client that signs. @throws UnavailableError if its `jwks_uri` cannot be read. */
  #keysOf(client: Client | undefined, { method, kid }: Credentials): MaybePromise<readonly Jwk[] | undefined> {
    if (client?.jwksUri === undefined || method !== 'private_key_jwt') return client?.jwks?.keys;
    const isLacking = (keys: readonly Jwk[]): boolean => kid !== undefined && !keys.some((key) => key['kid'] === kid);
    return this.#given.publishedKeys({ jwksUri: client.jwksUri }, isLacking);
  }

  #hasProof(
    client: Client | undefined,
    { credentials, request }: Claim,
    keys: readonly Jwk[] | undefined,
  ): MaybePromise<boolean> {
    const { clock, issuer } = this.#given;
    if (credentials.method !== 'private_key_jwt') return hasRandomSecret(client, credentials, clock());
    if (client === undefined || keys === undefined) return false;
    return assertionMatches(credentials.secret ?? '', client, keys, issuer(request), this.#given);
  }

  /** Counts a proof that failed, and refuses it. */
  async #countFailure(
    client: Client | undefined,
    { credentials: { client_id, place }, request, emit }: Claim,
  ): Promise<never> {
    const { clientLimit } = this.#given;
    const counted =
      client === undefined ? clientLimit.failStranger(client_id, request) : clientLimit.fail(client_id, request);
    emit?.({ type: 'client.authentication_failed', client_id });
    const retryAfter = await counted;
    throw typeof retryAfter === 'number' ? tooManyFailures(retryAfter) : refused(place);
  }

  /** Attempts at secrets chosen by people are counted before they are compared. */
  async #proveByGuess(client: Client, { credentials, request, emit }: Claim): Promise<Client> {
    const { client_id } = credentials;
    const { limitAt, chosenSecretLimit, clients } = this.#given;
    const guess = guessAt(client_id, request, {
      isKnown: true,
      failures: LIMITS.clientFailures,
      ofSource: limitAt(request.ip, LIMITS.sourceFailures),
    });
    const attempt = await chosenSecretLimit.attempt(guess, request, async () => {
      if (await this.#hasSecret(client, credentials, request)) return client;
      const again = await clients.findAgain(client);
      return again !== undefined && again !== client && (await this.#hasSecret(again, credentials, request))
        ? again
        : undefined;
    });
    if ('retryAfter' in attempt) throw tooManyFailures(attempt.retryAfter);
    if (attempt.result !== undefined) return attempt.result;
    emit?.({ type: 'client.authentication_failed', client_id });
    throw refused(credentials.place);
  }

  /** Like {@link hasRandomSecret}, for a client whose secrets may be chosen by people. */
  async #hasSecret(client: Client, credentials: Credentials, request: HttpRequest): Promise<boolean> {
    const { secret, method } = credentials;
    if (secret === undefined || method === 'private_key_jwt') return false;
    const { clock, limitAt } = this.#given;
    const isRandom = secretMatches(secret, client.secrets, clock());
    const isChosen = await chosenSecretMatches(secret, client.secrets, clock(), request, limitAt);
    return (isRandom || isChosen) && mayUseMethod(client, credentials);
  }
}
