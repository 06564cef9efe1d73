import {
  constants,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  KeyObject,
  sign,
  verify,
} from 'node:crypto';
import type { Bound } from '../../base/deadline.js';
import { UnavailableError } from '../../base/errors.js';
import type { ExternalKey, KeySource, SigningKey } from '../../base/key-source.js';
import { mistake } from '../../base/mistakes.js';
import type { Clock, MaybePromise } from '../../base/ports.js';
import { contradiction, type EnforcedRule } from '../../base/rules.js';
import { isRecord } from '../../base/schema.js';
import { sha256 } from '../../base/secrets.js';
import { type Jwk, SIGNING_ALGORITHMS, type SigningAlgorithm } from './jwk.js';

export { SIGNING_ALGORITHMS, type SigningAlgorithm };

/** A key ready for use. */
interface ReadyKey {
  readonly kid: string;
  readonly algorithm: SigningAlgorithm;
  readonly signFrom: number;
  readonly publicJwk: Jwk;
  readonly publicKey: KeyObject;
  sign(data: Uint8Array): MaybePromise<Uint8Array>;
}

/** Milliseconds for which the result of a key function is cached. */
const RELOAD_AFTER = 60_000;

const isLongRsa = ({ kty, n }: Jwk): boolean =>
  kty === 'RSA' && typeof n === 'string' && Buffer.from(n, 'base64url').length >= 256;

const KEY_KINDS: Readonly<Record<SigningAlgorithm, (jwk: Jwk) => boolean>> = {
  ES256: ({ kty, crv }) => kty === 'EC' && crv === 'P-256',
  EdDSA: ({ kty, crv }) => kty === 'OKP' && crv === 'Ed25519',
  RS256: isLongRsa,
  PS256: isLongRsa,
};

/** The algorithms that a public key fits; the first one is the default. */
const algorithmsOfPublic = (members: Jwk): readonly SigningAlgorithm[] =>
  SIGNING_ALGORITHMS.filter((algorithm) => KEY_KINDS[algorithm](members));

/** A new private key that fits an algorithm. */
export const generateKey = (algorithm: SigningAlgorithm): KeyObject => {
  if (algorithm === 'EdDSA') return generateKeyPairSync('ed25519').privateKey;
  if (algorithm === 'RS256' || algorithm === 'PS256')
    return generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
};

const isExternal = (key: unknown): key is ExternalKey =>
  isRecord(key) && !(key instanceof KeyObject) && typeof key['sign'] === 'function';

/**
 * The same keys, with a deadline for a function that returns them, and for those that sign in a vault.
 *
 * @param option - Names the option in errors.
 */
export const boundSource = (source: KeySource, option: string, bound: Bound): KeySource => {
  const limited = (signingKey: SigningKey): SigningKey => {
    const key: unknown = signingKey?.key; // The key ring reports what is wrong with it.
    if (!isExternal(key)) return signingKey;
    const sign = bound(`The sign of a key of ${option}`, (data: Uint8Array) => key.sign(data));
    return { ...signingKey, key: { publicKey: key.publicKey, sign } };
  };
  const all = (keys: readonly SigningKey[]): readonly SigningKey[] => (Array.isArray(keys) ? keys.map(limited) : keys);
  if (typeof source !== 'function') return all(source);
  const ask = bound(option, source);
  return async () => all(await ask());
};

const privateKeyOf = (key: string | Jwk | KeyObject): KeyObject => {
  if (key instanceof KeyObject) return key;
  return typeof key === 'string' ? createPrivateKey(key) : createPrivateKey({ key: { ...key }, format: 'jwk' });
};

/** How signatures are made where Node has several ways: two integers side by side (RFC 7518 §3.4), not DER; and PSS (§3.5). */
const SIGNATURE_OPTIONS = {
  ES256: { dsaEncoding: 'ieee-p1363' },
  PS256: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST },
} as const;

/** A key whose signatures need options. */
const withOptions = (key: KeyObject, options: (typeof SIGNATURE_OPTIONS)[keyof typeof SIGNATURE_OPTIONS]) => {
  try {
    verify('sha256', Buffer.alloc(0), { key, ...options }, Buffer.alloc(64));
  } catch (error) {
    // workerd takes no KeyObject next to options, only a JWK, which it reads at each signature.
    if (error instanceof TypeError) return { key: key.export({ format: 'jwk' }), format: 'jwk', ...options } as const;
  }
  return { key, ...options } as const;
};

/** Node's parameters for a signature (RFC 7518 §3, RFC 8037 §3.1). */
const signatureOf = (algorithm: SigningAlgorithm, key: KeyObject) =>
  [
    algorithm === 'EdDSA' ? null : 'sha256',
    algorithm === 'ES256' || algorithm === 'PS256' ? withOptions(key, SIGNATURE_OPTIONS[algorithm]) : key,
  ] as const;

const ownSigner = (key: KeyObject, algorithm: SigningAlgorithm): ReadyKey['sign'] => {
  const [digest, input] = signatureOf(algorithm, key);
  return (data) => sign(digest, data, input);
};

/** A vault with a different key, or one that returns DER, would produce tokens that cannot be verified. */
const externalSigner = (
  key: ExternalKey,
  publicKey: KeyObject,
  algorithm: SigningAlgorithm,
  option: string,
): ReadyKey['sign'] => {
  const [digest, input] = signatureOf(algorithm, publicKey);
  return async (data) => {
    let signature: Uint8Array;
    try {
      signature = await key.sign(data);
    } catch (cause) {
      throw new UnavailableError(`The sign function of a key of ${option} failed.`, { cause });
    }
    if (verify(digest, data, input, signature)) return signature;
    throw new Error(
      `The sign function of a key of ${option} returned something other than an ${algorithm} signature of its publicKey.`,
    );
  };
};

/** The members of a public key in alphabetical order, the input of its thumbprint (RFC 7638 §3.2). */
const publicMembers = (key: KeyObject): Jwk =>
  Object.fromEntries(
    Object.entries(key.export({ format: 'jwk' })).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );

/** The problem with a key, as the end of a sentence. */
class KeyProblem extends Error {}

/** @throws KeyProblem, or Node's error for an unreadable key. */
const prepareKey = (signingKey: Partial<SigningKey> | undefined, option: string): ReadyKey => {
  const { key, kid, alg, signFrom = 0 } = signingKey ?? {};
  if (key === undefined) throw new KeyProblem('must be an object with a key; is the environment variable set?');
  const privateKey = isExternal(key) ? undefined : privateKeyOf(key);
  if (privateKey !== undefined && privateKey.type !== 'private') throw new KeyProblem('is not a private key.');
  const publicKey = createPublicKey(privateKey ?? { key: { ...(key as ExternalKey).publicKey }, format: 'jwk' });
  const members = publicMembers(publicKey);
  const [usual, ...others] = algorithmsOfPublic(members);
  if (usual === undefined) throw new KeyProblem('is none of P-256, Ed25519 and RSA with at least 2048 bits.');
  const algorithm = [usual, ...others].find((name) => name === (alg ?? usual));
  if (algorithm === undefined)
    throw new KeyProblem(`has the alg ${JSON.stringify(alg)}, but the key is for ${[usual, ...others].join(' or ')}.`);
  if (kid !== undefined && (typeof kid !== 'string' || kid === ''))
    throw new KeyProblem('has a kid that is not a string.');
  if (typeof signFrom !== 'number' || Number.isNaN(signFrom))
    throw new KeyProblem('has a signFrom that is not a number of milliseconds.');
  const id = kid ?? sha256(JSON.stringify(members));
  const sign =
    privateKey === undefined
      ? externalSigner(key as ExternalKey, publicKey, algorithm, option)
      : ownSigner(privateKey, algorithm);
  const publicJwk = { ...members, kid: id, alg: algorithm, use: 'sig' };
  return { kid: id, algorithm, signFrom, publicJwk, publicKey, sign };
};

/** Why text cannot be read as a private key, as the end of a sentence. Texts often come from the environment. */
const unreadable = (key: unknown): string => {
  if (typeof key !== 'string') return 'cannot be read as a private key: PKCS#8 PEM, JWK or KeyObject.';
  if (key === '') return 'is empty; is the environment variable set?';
  if (key.startsWith('-----BEGIN') && key.includes(String.raw`\n`))
    return String.raw`contains \n as two characters. Replace them by line breaks: key.replaceAll('\\n', '\n').`;
  if (/-----BEGIN (?:\w+ )?ENCRYPTED|Proc-Type: 4,ENCRYPTED/.test(key))
    return 'is encrypted. Decrypt it: createPrivateKey({ key, passphrase }) of node:crypto.';
  if (/-----BEGIN (?:(?:\w+ )?PUBLIC KEY|CERTIFICATE)/.test(key)) return 'is a public key. Give the private one.';
  if (key.startsWith('LS0tLS1CRUdJTi'))
    return "is the base64 of a PEM. Decode it: Buffer.from(key, 'base64').toString().";
  if (!key.includes('-----BEGIN'))
    return 'is a string without -----BEGIN. Tokens are signed with a private key, not with a shared secret: npx oauth-query key makes one.';
  return 'cannot be read as a private key in PEM. Is it complete, with its line breaks?';
};

const prepareKeys = (
  keys: readonly SigningKey[],
  { algorithms, option = 'options.jwt', limit }: KeyRingDependencies,
): readonly ReadyKey[] => {
  const ready = (Array.isArray(keys) ? keys : []).map((key: SigningKey, index) => {
    try {
      return prepareKey(key, option);
    } catch (cause) {
      const problem = cause instanceof KeyProblem ? cause.message : unreadable(key?.key);
      throw mistake(`${option}[${index}] ${problem}`, 'OQ100', cause);
    }
  });
  const excluded = ready.findIndex(({ algorithm }) => limit?.value.includes(algorithm) === false);
  const { algorithm: name } = ready[excluded] ?? {};
  if (limit !== undefined && name !== undefined)
    throw mistake(
      contradiction(
        `${option}[${excluded}] is for ${name}`,
        limit,
        `keys for ${limit.value.join(', ')}`,
        name === 'RS256' ? "Add alg: 'PS256' to it." : 'Remove it.',
      ),
      'OQ100',
    );
  const used = ready.filter(({ algorithm }) => algorithms?.includes(algorithm) ?? true);
  if (used.length === 0)
    throw new TypeError(
      `${option} must contain at least one key${algorithms === undefined ? '' : ` for ${algorithms.join(', ')}`}.`,
    );
  if (new Set(used.map(({ kid }) => kid)).size < used.length)
    throw new TypeError(`${option} has the same kid twice. List each key once, with a kid of its own.`);
  // The newest is last; of keys with the same start it is the first one listed.
  return used.toReversed().toSorted((a, b) => a.signFrom - b.signFrom);
};

/** What a {@link KeyRing} depends on. */
interface KeyRingDependencies {
  readonly source: KeySource;
  /** If each algorithm has a signing key of its own: these. Keys for others are left out. */
  readonly algorithms?: readonly SigningAlgorithm[];
  readonly clock: Clock;
  /** Lifetime of a token in milliseconds. */
  readonly tokenLifetimeMs: number;
  readonly onError: (error: unknown) => void;
  /** The algorithms that a feature allows. */
  readonly limit?: EnforcedRule<readonly string[]> | undefined;
  /** The option with the keys, for error messages. */
  readonly option?: string;
}

/**
 * The keys of this server. The newest one whose time has come signs. Every key is published from the start until the
 * last token it can have signed has expired.
 */
export class KeyRing {
  readonly #given: KeyRingDependencies;
  readonly #option: string;
  #keys: readonly ReadyKey[];
  #reloadAt: number;
  #loading: Promise<void> | undefined;

  /** @throws TypeError for an unusable key; keys of a function are checked when it returns them. */
  constructor(given: KeyRingDependencies) {
    const { source, option = 'options.jwt' } = given;
    this.#given = given;
    this.#option = option;
    this.#keys = typeof source === 'function' ? [] : prepareKeys(source, given);
    this.#reloadAt = typeof source === 'function' ? 0 : Infinity;
  }

  /** The algorithms that the keys fit; of a function, once it has returned them. */
  get algorithms(): readonly SigningAlgorithm[] {
    return SIGNING_ALGORITHMS.filter((name) => this.#keys.some(({ algorithm }) => algorithm === name));
  }

  /** Signs with the current key. @param wanted - Its algorithm, if each has a key of its own. */
  async sign(
    header: (kid: string, algorithm: SigningAlgorithm) => string,
    payload: string,
    wanted?: SigningAlgorithm,
  ): Promise<string> {
    const keys = await this.#current();
    const now = this.#given.clock();
    const key = keys.findLast(
      ({ signFrom, algorithm }) => signFrom <= now && (wanted === undefined || algorithm === wanted),
    );
    if (key === undefined)
      throw new UnavailableError(`No key of ${this.#option} may sign yet: every signFrom is in the future.`);
    const input = `${header(key.kid, key.algorithm)}.${payload}`;
    const signature = await key.sign(Buffer.from(input));
    return `${input}.${Buffer.from(signature).toString('base64url')}`;
  }

  /** The public key with this id, as long as its tokens may be live, if it signs by this algorithm. Node 22 fails on another kind of key. */
  async find({ kid, alg }: { readonly kid?: unknown; readonly alg?: unknown }): Promise<KeyObject | undefined> {
    const published = await this.#published();
    return published.find((key) => key.kid === kid && key.algorithm === alg)?.publicKey;
  }

  /** The published keys (RFC 7517 §5). */
  async jwks(): Promise<{ readonly keys: readonly Jwk[] }> {
    const published = await this.#published();
    return { keys: published.map(({ publicJwk }) => publicJwk) };
  }

  async #published(): Promise<readonly ReadyKey[]> {
    const keys = await this.#current();
    const now = this.#given.clock();
    const isApart = this.#given.algorithms !== undefined;
    return keys.filter((key) => {
      const successor = keys.find(
        ({ signFrom, algorithm }) => signFrom > key.signFrom && (!isApart || algorithm === key.algorithm),
      );
      return successor === undefined || now < successor.signFrom + this.#given.tokenLifetimeMs;
    });
  }

  async #current(): Promise<readonly ReadyKey[]> {
    if (this.#given.clock() >= this.#reloadAt) {
      this.#loading ??= this.#load().finally(() => {
        this.#loading = undefined;
      });
      await this.#loading;
    }
    return this.#keys;
  }

  /** Keys from a minute ago are better than none; without any, nothing can be signed or verified. */
  async #load(): Promise<void> {
    if (typeof this.#given.source !== 'function') return;
    try {
      this.#keys = prepareKeys(await this.#given.source(), this.#given);
    } catch (cause) {
      if (this.#keys.length === 0) throw new UnavailableError(`The function ${this.#option} failed.`, { cause });
      this.#given.onError(cause);
    }
    this.#reloadAt = this.#given.clock() + RELOAD_AFTER;
  }
}
