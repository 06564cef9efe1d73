import * as errors from 'jose/errors';
import { jwtVerify } from 'jose/jwt/verify';
import { UnavailableError } from '../core/base/errors.js';
import { allowedBy, joinRules } from '../core/base/rules.js';
import { isRecord } from '../core/base/schema.js';
import { fetchKeys } from './discovery.js';
import type { HttpClient, JsonAnswer } from './http-client.js';
import type { ResolvedOptions } from './introspection-options.js';
import { ALGORITHMS } from './option-checks.js';
import { RemoteKeys } from './remote-keys.js';

const TYPE = 'token-introspection+jwt';

/** Its media type, for requests. */
export const SIGNED_TYPE = `application/${TYPE}`;

/** In seconds: an answer is signed when it is asked for. */
const MAX_AGE = 60;

/** Seconds by which the clock of the authorization server may be ahead of ours. */
const LEEWAY = 5;

/** Verifies signed introspection responses (RFC 9701 §5). */
export class SignedAnswers {
  readonly #options: ResolvedOptions;
  readonly #issuer: string;
  readonly #keys: RemoteKeys;
  readonly #algorithms: readonly string[];

  constructor(options: ResolvedOptions, issuer: string, http: HttpClient) {
    this.#options = options;
    this.#issuer = issuer;
    this.#keys = new RemoteKeys(() => fetchKeys(http, issuer), options);
    this.#algorithms = allowedBy(joinRules(options.features).signing, ALGORITHMS);
  }

  /** @throws UnavailableError unless the authorization server signed it just now, for this resource server. */
  async read(text: string): Promise<JsonAnswer['body']> {
    const { find } = await this.#keys.current();
    try {
      return await this.#verify(text, find);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw refused(error);
    }
    const renewed = await this.#keys.renewed();
    return this.#verify(text, renewed.find).catch((error: unknown) => {
      throw refused(error);
    });
  }

  async #verify(text: string, find: Parameters<typeof jwtVerify>[1]): Promise<JsonAnswer['body']> {
    const { clock, credentials } = this.#options;
    const now = clock();
    const { payload } = await jwtVerify(text, find, {
      algorithms: [...this.#algorithms],
      issuer: this.#issuer,
      audience: credentials.client_id,
      typ: TYPE,
      requiredClaims: ['iat'],
      maxTokenAge: MAX_AGE - LEEWAY,
      clockTolerance: LEEWAY,
      currentDate: new Date(now),
    });
    const members = payload['token_introspection'];
    const isOurs = typeof payload.aud === 'string' && isRecord(members);
    if (!isOurs) throw new errors.JWTInvalid('It has several audiences, or no token_introspection.');
    return members;
  }
}

/** What jose says names a claim, never its value. */
const refused = (cause: unknown): UnavailableError =>
  new UnavailableError(
    `The introspection response is not signed as it must be${cause instanceof errors.JOSEError ? `: ${cause.message}.` : '.'}`,
    { cause },
  );
