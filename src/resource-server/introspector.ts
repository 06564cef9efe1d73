import { isActor } from '../core/base/actor.js';
import { type Authorization, claimsIn, isAudience, signInOf, usageOf } from '../core/base/authorization.js';
import { defined } from '../core/base/defined.js';
import { UnavailableError } from '../core/base/errors.js';
import { singleFlight } from '../core/base/single-flight.js';
import { discover, endpointOf } from './discovery.js';
import { HttpClient, type JsonAnswer } from './http-client.js';
import type { ResolvedOptions } from './introspection-options.js';
import { SIGNED_TYPE, SignedAnswers } from './signed-answers.js';

/** A bearer token is renewed this many milliseconds before it expires, so that it does not expire in transit. */
const RENEW_BEFORE = 30_000;

/** Seconds for which a bearer token without a stated lifetime is used. */
const UNKNOWN_LIFETIME = 60;

interface Endpoints {
  readonly introspection: URL;
  /** The endpoint for bearer tokens, if one is needed. */
  readonly token: URL | undefined;
}

interface BearerToken {
  readonly value: string;
  /** Milliseconds since the epoch. */
  readonly renewAt: number;
}

/** RFC 6749 appendix B: both parts of Basic credentials are form-encoded. */
const formEncode = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1);

/** The header of a client with its secret. */
export const basic = ({
  client_id,
  client_secret,
}: Pick<ResolvedOptions['credentials'], 'client_id' | 'client_secret'>): string =>
  `Basic ${Buffer.from(`${formEncode(client_id)}:${formEncode(client_secret)}`).toString('base64')}`;

/** What an answer that nobody expects means. */
export const problemOf = (who: string, { status, body }: JsonAnswer): UnavailableError => {
  const error = typeof body['error'] === 'string' ? ` ${body['error'].replace(/[^\w.-]/g, '?')}` : '';
  const hint = status === 401 ? ' Check options.credentials.' : '';
  return new UnavailableError(`The ${who} endpoint answered ${status}${error}.${hint}`);
};

/** Introspects tokens at an authorization server. It only keeps its own bearer token. */
export class Introspector {
  readonly #options: ResolvedOptions;
  readonly #http: HttpClient;
  /** Verifies answers, if they are signed. */
  readonly #signed: SignedAnswers | undefined;
  #endpoints: Endpoints | undefined;
  #bearer: BearerToken | undefined;
  readonly #findEndpoints = singleFlight(() => this.#discover());
  readonly #renewBearer = singleFlight(() => this.#requestBearer());

  constructor(options: ResolvedOptions) {
    this.#options = options;
    this.#http = new HttpClient(options.timeout);
    const { signed, issuer } = options;
    if (signed && issuer !== undefined) this.#signed = new SignedAnswers(options, issuer, this.#http);
  }

  close(): void {
    this.#http.close();
  }

  /**
   * The authorization of a token; `undefined` if it is not active.
   *
   * @throws UnavailableError if this cannot be determined.
   */
  async introspect(token: string): Promise<Authorization | undefined> {
    try {
      const { introspection } = await this.#endpointsNow();
      const answer = await this.#ask(introspection, { token, token_type_hint: 'access_token' });
      if (answer.status !== 200) throw problemOf('introspection', answer);
      return this.#read(answer.body);
    } catch (error) {
      this.#endpoints = undefined; // They may have changed.
      throw error;
    }
  }

  #ask(endpoint: URL, question: Readonly<Record<string, string>>): Promise<JsonAnswer> {
    const { credentials } = this.#options;
    const { client_id, client_secret, method } = credentials;
    if (method === 'bearer') return this.#askAsBearer(endpoint, question);
    return method === 'client_secret_post'
      ? this.#askAsClient(endpoint, { ...question, client_id, client_secret })
      : this.#askAsClient(endpoint, question, basic(credentials));
  }

  async #askAsClient(
    endpoint: URL,
    form: Readonly<Record<string, string>>,
    authorization?: string,
  ): Promise<JsonAnswer> {
    if (this.#signed === undefined) return this.#http.postForm(endpoint, form, authorization);
    const answer = await this.#http.postFormFor(SIGNED_TYPE, endpoint, form, authorization);
    if ('text' in answer) return { status: 200, body: await this.#signed.read(answer.text) };
    if (answer.status !== 200) return answer;
    throw new UnavailableError('The introspection endpoint answered without a signature (RFC 9701).');
  }

  async #askAsBearer(endpoint: URL, question: Readonly<Record<string, string>>): Promise<JsonAnswer> {
    const bearer = await this.#bearerNow();
    const answer = await this.#http.postForm(endpoint, question, `Bearer ${bearer.value}`);
    if (answer.status !== 401) return answer;
    // It may have been revoked early. All requests that failed with it share the same new one.
    if (this.#bearer === bearer) this.#bearer = undefined;
    const renewed = await this.#bearerNow();
    return this.#http.postForm(endpoint, question, `Bearer ${renewed.value}`);
  }

  async #bearerNow(): Promise<BearerToken> {
    const known = this.#bearer;
    return known !== undefined && this.#options.clock() < known.renewAt ? known : this.#renewBearer();
  }

  async #requestBearer(): Promise<BearerToken> {
    const { clock, credentials } = this.#options;
    const { token } = await this.#endpointsNow();
    if (token === undefined)
      throw new UnavailableError('The metadata of the authorization server has no token endpoint.');
    const form = { grant_type: 'client_credentials', scope: credentials.scope };
    const askedAt = clock();
    const answer = await this.#http.postForm(token, form, basic(credentials));
    const { access_token, expires_in, scope } = answer.body;
    if (answer.status !== 200 || typeof access_token !== 'string') throw problemOf('token', answer);
    if (scope !== undefined && scope !== credentials.scope) {
      throw new UnavailableError(
        `The authorization server issued a token without the scope ${credentials.scope} to ${credentials.client_id}.`,
      );
    }
    const lifetime = 1000 * (typeof expires_in === 'number' ? expires_in : UNKNOWN_LIFETIME);
    this.#bearer = { value: access_token, renewAt: askedAt + Math.max(lifetime - RENEW_BEFORE, lifetime / 2) };
    return this.#bearer;
  }

  async #endpointsNow(): Promise<Endpoints> {
    return this.#endpoints ?? this.#findEndpoints();
  }

  async #discover(): Promise<Endpoints> {
    const { issuer = '', endpoint, tokenEndpoint, credentials } = this.#options;
    const needsToken = credentials.method === 'bearer' && tokenEndpoint === undefined;
    const metadata = endpoint === undefined || needsToken ? await discover(this.#http, issuer) : {};
    this.#endpoints = {
      introspection: endpoint ?? endpointOf(metadata, 'introspection_endpoint', issuer),
      token: needsToken ? endpointOf(metadata, 'token_endpoint', issuer) : tokenEndpoint,
    };
    return this.#endpoints;
  }

  /** RFC 7662 §2.2. A malformed response is treated as no response. */
  #read(body: JsonAnswer['body']): Authorization | undefined {
    const { issuer, clock, cacheSeconds } = this.#options;
    if (body['active'] === false) return undefined;
    if (body['active'] !== true)
      throw new UnavailableError('The response of the introspection endpoint has no valid member active.');
    const now = Math.floor(clock() / 1000);
    const {
      client_id,
      sub = `client:${String(client_id)}`,
      username,
      scope = '',
      iss = issuer ?? '',
      aud = iss,
      exp = now + cacheSeconds,
      iat = now,
      token_type,
      act,
    } = body;
    if (
      typeof client_id !== 'string' ||
      typeof sub !== 'string' ||
      typeof scope !== 'string' ||
      typeof iss !== 'string' ||
      typeof exp !== 'number' ||
      typeof iat !== 'number'
    ) {
      throw new UnavailableError(
        'The introspection endpoint returned an active token without client_id, or with malformed members (RFC 7662).',
      );
    }
    // A refresh token has no token_type, and a token bound to a key must not pass without proof of possession.
    const usage = usageOf(body['cnf']);
    if (usage === undefined || typeof token_type !== 'string') return undefined;
    if (usage.cnf === undefined && token_type.toLowerCase() !== 'bearer') return undefined;
    if (!isAudience(aud) || (issuer !== undefined && iss !== issuer)) return undefined;
    if (act !== undefined && !isActor(act)) return undefined;
    if (body['exp'] !== undefined && now >= exp) return undefined;
    return {
      sub,
      ...(typeof username === 'string' ? { username } : {}),
      client_id,
      scope,
      aud,
      iss,
      exp,
      iat,
      ...signInOf(body),
      ...usage,
      ...defined({ act, claims: claimsIn(body) }),
    };
  }
}
