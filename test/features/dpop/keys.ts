import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { constants } from 'node:crypto';
import { rsaPair } from '../../rsa.js';

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
export const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

export type Algorithm = 'ES256' | 'ES384' | 'EdDSA' | 'Ed25519' | 'PS256' | 'RS256';

/** What a proof says, to be changed member by member. */
export interface ProofParts {
  readonly method: string;
  readonly url: string;
  /** Seconds. */
  readonly iat: number;
  readonly token?: string;
  readonly nonce?: string | undefined;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly payload?: Readonly<Record<string, unknown>>;
}

let proofs = 0;

/** A client's key, which makes proofs. */
export class ProofMaker {
  readonly algorithm: Algorithm;
  readonly privateKey: KeyObject;
  readonly jwk: Readonly<Record<string, unknown>>;

  constructor(algorithm: Algorithm = 'ES256', bits = 2048) {
    this.algorithm = algorithm;
    const pair =
      algorithm === 'ES256'
        ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
        : algorithm === 'ES384'
          ? generateKeyPairSync('ec', { namedCurve: 'P-384' })
          : algorithm === 'EdDSA' || algorithm === 'Ed25519'
            ? generateKeyPairSync('ed25519')
            : bits === 2048
              ? rsaPair('proofs')
              : generateKeyPairSync('rsa', { modulusLength: bits });
    this.privateKey = pair.privateKey;
    this.jwk = { ...pair.publicKey.export({ format: 'jwk' }) };
  }

  /** RFC 7638. */
  get jkt(): string {
    const { crv, e, kty, n, x, y } = this.jwk as Record<string, string>;
    return hashOf(JSON.stringify(kty === 'EC' ? { crv, kty, x, y } : kty === 'OKP' ? { crv, kty, x } : { e, kty, n }));
  }

  proof({ method, url, iat, token, nonce, header, payload }: ProofParts): string {
    proofs += 1;
    const protectedHeader = { typ: 'dpop+jwt', alg: this.algorithm, jwk: this.jwk, ...header };
    const claims = {
      jti: `proof-${proofs}`,
      htm: method,
      htu: url,
      iat,
      ...(token !== undefined && { ath: hashOf(token) }),
      ...(nonce !== undefined && { nonce }),
      ...payload,
    };
    return this.signed(`${encode(protectedHeader)}.${encode(claims)}`);
  }

  signed(text: string): string {
    const { algorithm, privateKey: key } = this;
    const data = Buffer.from(text);
    const signature =
      algorithm === 'ES256' || algorithm === 'ES384'
        ? sign(algorithm === 'ES256' ? 'sha256' : 'sha384', data, { key, dsaEncoding: 'ieee-p1363' })
        : algorithm === 'RS256'
          ? sign('sha256', data, key)
          : algorithm === 'PS256'
            ? sign('sha256', data, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 })
            : sign(null, data, key);
    return `${text}.${signature.toString('base64url')}`;
  }
}
