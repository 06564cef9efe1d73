import { type CryptoKey, exportJWK, generateKeyPair, type JWK, CompactSign } from 'jose';
import type { AssertionIssuer } from 'oauth-query/assertions';

export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
export const ID_JAG = 'oauth-id-jag+jwt';

/** A server that signs assertions. */
export class Signer {
  readonly issuer: string;
  readonly jwk: JWK;
  readonly key: CryptoKey;
  readonly alg: string;
  #count = 0;

  private constructor(issuer: string, alg: string, key: CryptoKey, jwk: JWK) {
    this.issuer = issuer;
    this.alg = alg;
    this.key = key;
    this.jwk = jwk;
  }

  static async make(issuer: string, alg = 'ES256', kid = `${alg} of ${issuer}`): Promise<Signer> {
    const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
    return new Signer(issuer, alg, privateKey, { ...(await exportJWK(publicKey)), kid, alg });
  }

  /** Its entry in the options. */
  entry(more: Partial<AssertionIssuer>): AssertionIssuer {
    return { issuer: this.issuer, jwks: { keys: [{ ...this.jwk }] }, ...more };
  }

  /** The claims that every kind accepts, for a server. */
  claims(aud: string, now = Date.now() / 1000): Record<string, unknown> {
    this.#count += 1;
    const iat = Math.floor(now);
    return { iss: this.issuer, sub: '17', aud, iat, exp: iat + 300, jti: `assertion ${this.#count}` };
  }

  /** Signs claims as they are. */
  sign(claims: Record<string, unknown>, header: Record<string, unknown> = {}): Promise<string> {
    return this.signText(JSON.stringify(claims), header);
  }

  /** Signs a text that may be no JSON. */
  signText(claims: string, header: Record<string, unknown> = {}): Promise<string> {
    const all = { alg: this.alg, kid: this.jwk.kid, ...header };
    const given = Object.fromEntries(Object.entries(all).filter(([, one]) => one !== undefined));
    return new CompactSign(new TextEncoder().encode(claims))
      .setProtectedHeader(given as { alg: string })
      .sign(this.key);
  }
}

export const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
