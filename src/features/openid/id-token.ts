import { createHash } from 'node:crypto';
import { decodeProtectedHeader } from 'jose/decode/protected_header';
import * as errors from 'jose/errors';
import { compactVerify } from 'jose/jws/compact/verify';
import { type FeatureClient, type FeatureGrant, isRecord, type IssuedToken } from '../../core/feature/index.js';
import type { Algorithm, IdTokenKeys } from './keys.js';
import type { Claims } from './options.js';

const base64url = (given: object): string => Buffer.from(JSON.stringify(given)).toString('base64url');

/** The left half of the hash that belongs to the algorithm (OpenID Connect Core 1.0 §3.1.3.6); for Ed25519 that is SHA-512. */
const halfHash = (text: string, algorithm: Algorithm): string => {
  const digest = createHash(algorithm === 'EdDSA' ? 'sha512' : 'sha256')
    .update(text)
    .digest();
  return digest.subarray(0, digest.length / 2).toString('base64url');
};

/** What an ID token is about. */
interface IdTokenOf {
  readonly client: FeatureClient;
  readonly sub: string;
  readonly facts: Pick<FeatureGrant, 'auth_time' | 'acr' | 'amr'>;
  readonly nonce: string | undefined;
  /** The name of the session. */
  readonly sid: string | undefined;
  readonly claims: Claims;
  readonly token: IssuedToken;
}

const TYPE = 'JWT';

const MAX_HINT = 8192;

/** In seconds. */
const LOGOUT_LIFETIME = 120;

/** The signed statements about sign-ins (OpenID Connect Core 1.0 §2). */
export class IdTokens {
  readonly #keys: IdTokenKeys;
  readonly #issuer: string;
  readonly #lifetime: number;

  /** @param lifetime - In seconds. */
  constructor(keys: IdTokenKeys, issuer: string, lifetime: number) {
    this.#keys = keys;
    this.#issuer = issuer;
    this.#lifetime = lifetime;
  }

  sign({ client, sub, facts, nonce, sid, claims, token }: IdTokenOf): Promise<string> {
    const { auth_time, acr, amr } = facts;
    const algorithm = this.#keys.algorithmFor(client.openId.id_token_signed_response_alg);
    return this.#signed(client, TYPE, {
      ...claims,
      iss: this.#issuer,
      sub,
      aud: client.client_id,
      iat: token.iat,
      exp: token.iat + this.#lifetime,
      ...(auth_time !== undefined && { auth_time }),
      ...(acr !== undefined && { acr }),
      ...(amr !== undefined && { amr }),
      ...(nonce !== undefined && { nonce }),
      ...(sid !== undefined && { sid }),
      at_hash: halfHash(token.access_token, algorithm),
    });
  }

  /** A statement that an owner has signed out (Back-Channel Logout 1.0 §2.4). @param now - Seconds since the epoch. */
  signLogout(client: FeatureClient, about: { sub: string; sid?: string }, jti: string, now: number): Promise<string> {
    return this.#signed(client, 'logout+jwt', {
      iss: this.#issuer,
      ...about,
      aud: client.client_id,
      iat: now,
      exp: now + LOGOUT_LIFETIME,
      jti,
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    });
  }

  #signed(client: FeatureClient, typ: string, payload: object): Promise<string> {
    const header = (kid: string, alg: Algorithm): string => base64url({ alg, typ, kid });
    return this.#keys.sign(header, base64url(payload), client.openId.id_token_signed_response_alg);
  }

  /** What an ID token of this server is about, whether or not it has expired; `undefined` if it is not one, or its key is no longer published. */
  async read(hint: string | undefined): Promise<{ readonly sub: string; readonly client_id: string } | undefined> {
    if (hint === undefined || hint.length > MAX_HINT) return undefined;
    try {
      const { alg = '', typ, kid } = decodeProtectedHeader(hint);
      if (typ !== TYPE || !this.#keys.has(alg)) return undefined;
      const key = await this.#keys.find({ kid, alg });
      if (key === undefined) return undefined;
      const { payload } = await compactVerify(hint, key, { algorithms: [alg] });
      const claims: unknown = JSON.parse(Buffer.from(payload).toString('utf8'));
      if (!isRecord(claims) || claims['iss'] !== this.#issuer) return undefined;
      const { sub, aud } = claims;
      if (typeof sub !== 'string' || typeof aud !== 'string') return undefined;
      return { sub, client_id: aud };
    } catch (error) {
      if (error instanceof errors.JOSEError || error instanceof SyntaxError || error instanceof TypeError)
        return undefined;
      throw error;
    }
  }
}
