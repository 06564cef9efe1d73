import type { KeyObject } from 'node:crypto';
import type { JWTHeaderParameters, JWTPayload } from 'jose';
import * as errors from 'jose/errors';
import { jwtVerify } from 'jose/jwt/verify';
import { isActor } from '../../base/actor.js';
import { claimsIn } from '../../base/authorization.js';
import type { Clock } from '../../base/ports.js';
import { isRecord } from '../../base/schema.js';
import { sha256 } from '../../base/secrets.js';
import { isFrom, type TokenClaims } from '../records/stored-records.js';
import { grantIdOf, isTokenShaped } from '../records/token-id.js';
import { type KeyRing, SIGNING_ALGORITHMS } from './signing-keys.js';

/** A verified JWT: the contents of its record if it had one, and its `jti`. */
interface VerifiedToken {
  readonly jti: string;
  readonly record: TokenClaims;
}

interface RememberedToken extends VerifiedToken {
  readonly header: Parameters<KeyRing['find']>[0];
  readonly key: KeyObject | undefined;
}

const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Tokens whose signature was verified: it stays valid as long as its key is ours. */
const REMEMBERED = 1000;

/**
 * JWT access tokens: they can be verified without a request, and this server keeps no record of them, except of those that
 * were revoked.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9068 | RFC 9068}
 */
export class JwtAccessTokens {
  readonly #keys: KeyRing;
  readonly #issuer: string;
  readonly #clock: Clock;
  readonly #verified = new Map<string, RememberedToken>();

  constructor(keys: KeyRing, issuer: string, clock: Clock) {
    this.#keys = keys;
    this.#issuer = issuer;
    this.#clock = clock;
  }

  /** @param jti - Begins with the id of the grant, like every secret of a token family. */
  sign(jti: string, record: TokenClaims): Promise<string> {
    const { sub, client_id, scope, aud, iat, exp, auth_time, acr, jkt, client_generation, from, act } = record;
    // JSON omits the members that are undefined.
    const claims = {
      ...record.claims,
      iss: this.#issuer,
      sub,
      aud: this.#audience(aud),
      client_id,
      scope,
      iat,
      exp,
      jti,
      auth_time,
      acr,
      client_generation,
      cnf: jkt === undefined ? undefined : { jkt },
      act,
      derived_from: from,
    };
    return this.#keys.sign((kid, alg) => base64url({ alg, typ: 'at+jwt', kid }), base64url(claims));
  }

  /** The contents of a token, if this server signed it and it has not expired. Revocation is not checked here. */
  async verify(token: string): Promise<VerifiedToken | undefined> {
    const id = sha256(token);
    const known = this.#verified.get(id);
    if (known === undefined) return this.#check(token, id);
    // A key may have been withdrawn before its tokens expired; then they become invalid with it.
    const current = this.#clock() < known.record.exp * 1000 && (await this.#keys.find(known.header)) === known.key;
    if (current) return known;
    this.#verified.delete(id);
    return this.#check(token, id);
  }

  async #check(token: string, id: string): Promise<VerifiedToken | undefined> {
    let key: KeyObject | undefined;
    const find = async (header: JWTHeaderParameters): Promise<KeyObject> => {
      key = await this.#keys.find(header);
      if (key === undefined) throw new errors.JWKSNoMatchingKey();
      return key;
    };
    try {
      const { payload, protectedHeader: header } = await jwtVerify(token, find, {
        algorithms: [...SIGNING_ALGORITHMS],
        issuer: this.#issuer,
        typ: 'at+jwt',
        requiredClaims: ['exp', 'iat', 'sub', 'aud', 'client_id', 'jti'],
        currentDate: new Date(this.#clock()),
      });
      const verified = this.#read(payload);
      if (verified !== undefined) this.#remember(id, { ...verified, header, key });
      return verified;
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    }
  }

  #read({ jti, sub, aud, iat, exp, ...claims }: JWTPayload): VerifiedToken | undefined {
    const { client_id, scope = '', cnf, client_generation, act, derived_from: from } = claims;
    const jkt = isRecord(cnf) && typeof cnf['jkt'] === 'string' ? cnf['jkt'] : undefined;
    if (cnf !== undefined && jkt === undefined) return undefined;
    if (jti === undefined || !isTokenShaped(jti) || sub === undefined || iat === undefined || exp === undefined)
      return undefined;
    if (typeof client_id !== 'string' || typeof scope !== 'string' || aud === undefined) return undefined;
    if ((act !== undefined && !isActor(act)) || (from !== undefined && !isFrom(from))) return undefined;
    const more = claimsIn(claims);
    const record: TokenClaims = {
      client_id,
      sub,
      username: null,
      scope,
      aud: typeof aud === 'string' ? [aud] : aud,
      iat,
      exp,
      grant: grantIdOf(jti) ?? null,
      ...(jkt !== undefined && { jkt }),
      ...(typeof client_generation === 'number' && { client_generation }),
      ...(more !== undefined && { claims: more }),
      ...(act !== undefined && { act }),
      ...(from !== undefined && { from }),
    };
    return { jti, record };
  }

  /** A token requested without a resource is for the issuer itself. */
  #audience(aud: readonly string[]): string | readonly string[] {
    const [first] = aud;
    return aud.length > 1 ? aud : (first ?? this.#issuer);
  }

  #remember(id: string, token: RememberedToken): void {
    this.#verified.set(id, token);
    if (this.#verified.size <= REMEMBERED) return;
    const [oldest] = this.#verified.keys();
    if (oldest !== undefined) this.#verified.delete(oldest);
  }
}
