import { createHash, createPrivateKey, createPublicKey, KeyObject, randomUUID } from 'node:crypto';
import { SignJWT } from 'jose/jwt/sign';
import { fail, refined, value } from '../core/base/schema.js';

/** A private key as PKCS#8 PEM, or as Node has it. */
export type PrivateKey = string | KeyObject;

const CURVES: ReadonlyMap<string | undefined, string> = new Map([
  ['prime256v1', 'ES256'],
  ['secp384r1', 'ES384'],
]);

const algorithmOf = ({
  asymmetricKeyType: type,
  asymmetricKeyDetails: { namedCurve, modulusLength = 0 } = {},
}: KeyObject) =>
  type === 'ed25519' ? 'EdDSA' : type === 'rsa' && modulusLength >= 2048 ? 'PS256' : CURVES.get(namedCurve);

/** Signs as a client. */
class ClientSigner {
  readonly #key: KeyObject;
  readonly #algorithm: string;

  constructor(key: KeyObject, algorithm: string) {
    this.#key = key;
    this.#algorithm = algorithm;
  }

  #sign(header: object, claims: object, now: number): Promise<string> {
    return new SignJWT({ ...claims, jti: randomUUID() })
      .setProtectedHeader({ ...header, alg: this.#algorithm })
      .setIssuedAt(Math.floor(now / 1000))
      .sign(this.#key);
  }

  /** What proves at the token endpoint who the client is (RFC 7523 §2.2). @param now - Milliseconds. */
  async authentication(client_id: string, aud: string, kid: string | undefined, now: number) {
    const claims = { iss: client_id, sub: client_id, aud, exp: Math.floor(now / 1000) + 60 };
    return {
      client_id,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: await this.#sign({ ...(kid !== undefined && { kid }) }, claims, now),
    };
  }

  /** A proof that a request comes from the holder of the key (RFC 9449 §4.2). @param now - Milliseconds. */
  proof({ method, url, token, nonce }: Proven, now: number): Promise<string> {
    const { origin, pathname } = new URL(url);
    const claims = {
      htm: method,
      htu: origin + pathname,
      ...(token !== undefined && { ath: createHash('sha256').update(token).digest('base64url') }),
      ...(nonce !== undefined && { nonce }),
    };
    return this.#sign({ typ: 'dpop+jwt', jwk: createPublicKey(this.#key).export({ format: 'jwk' }) }, claims, now);
  }
}

/** The request of a proof. */
interface Proven {
  readonly method: string;
  readonly url: string | URL;
  readonly token?: string;
  readonly nonce?: string | undefined;
}

const SUPPORTED = 'an EC key on P-256 or P-384, an Ed25519 key, or an RSA key of at least 2048 bits';

/** The entry of an option that is such a key. */
export const privateKey = refined(
  value<PrivateKey>(
    'a private key: PKCS#8 PEM or a KeyObject',
    (given) => typeof given === 'string' || given instanceof KeyObject,
  ),
  (given, path) => {
    let key: KeyObject;
    try {
      key = typeof given === 'string' ? createPrivateKey(given) : given;
    } catch {
      return fail(`${path} is no private key in PKCS#8 PEM.`);
    }
    const algorithm = key.type === 'private' ? algorithmOf(key) : undefined;
    return algorithm === undefined
      ? fail(`${path} must be a private key: ${SUPPORTED}.`)
      : new ClientSigner(key, algorithm);
  },
);
