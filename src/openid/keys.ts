import { isLoopbackHost } from '../core/base/addresses/loopback.js';
import type { FeatureHost } from '../core/base/feature.js';
import { fail } from '../core/base/schema.js';
import {
  algorithmOf,
  boundSource,
  generateKey,
  type Jwk,
  KeyRing,
  type KeySource,
  SIGNING_ALGORITHMS,
  type SigningAlgorithm,
  type SigningKey,
} from '../core/oauth/keys/signing-keys.js';

const OPTION = 'options.openid.keys';

/** On loopback, where examples and tests run, a key is generated. */
const generated = (host: FeatureHost): readonly SigningKey[] => {
  const { issuer = '' } = host;
  if (!isLoopbackHost(new URL(issuer).hostname))
    fail(
      `${OPTION} is missing. Make a key with "npx oauth-query key" and pass it as keys: [{ key: process.env.ID_TOKEN_KEY }].`,
    );
  host.onWarning(
    'Missing option: openid.keys (generated at start: ID tokens cannot be verified after the process has ended, or by other processes).',
    'OQ201',
  );
  return [{ key: generateKey('RS256') }];
};

/** The keys that sign ID tokens: a ring for each algorithm. */
export class IdTokenKeys {
  readonly #rings: ReadonlyMap<SigningAlgorithm, KeyRing>;

  /**
   * @param lifetime - Of an ID token, in seconds: a key stays published for so long after its last signature.
   * @throws TypeError for an unusable key, or if none is for RS256.
   */
  constructor(given: KeySource | undefined, lifetime: number, host: FeatureHost) {
    const keys = given ?? generated(host);
    const { clock, onError } = host;
    const rings = SIGNING_ALGORITHMS.filter((algorithm) => isUsed(keys, algorithm)).map((algorithm) => {
      const source = boundSource(keys, OPTION, host.bound, (all) =>
        all.filter(({ key }) => algorithmOf(key) === algorithm),
      );
      const ring = new KeyRing({ source, algorithm, clock, tokenLifetimeMs: lifetime * 1000, onError, option: OPTION });
      return [algorithm, ring] as const;
    });
    this.#rings = new Map(rings);
  }

  get algorithms(): readonly SigningAlgorithm[] {
    return [...this.#rings.keys()];
  }

  /** The ring of an algorithm, or that of RS256 if there is none. */
  ringFor(algorithm: SigningAlgorithm = 'RS256'): KeyRing {
    const ring = this.#rings.get(algorithm) ?? this.#rings.get('RS256');
    if (ring === undefined) throw new TypeError(`${OPTION} has no key for RS256.`);
    return ring;
  }

  has(algorithm: string): algorithm is SigningAlgorithm {
    return this.#rings.has(algorithm as SigningAlgorithm);
  }

  /** The published keys. */
  async publicKeys(): Promise<readonly Jwk[]> {
    const sets = await Promise.all([...this.#rings.values()].map((ring) => ring.jwks()));
    return sets.flatMap(({ keys }) => keys);
  }
}

/** Keys of a function are only for RS256, because their kinds are not known at the start. */
const isUsed = (keys: KeySource, algorithm: SigningAlgorithm): boolean => {
  if (typeof keys === 'function') return algorithm === 'RS256';
  const found = keys.map((one: Partial<SigningKey> | undefined) => algorithmOf(one?.key));
  const unusable = found.indexOf(undefined);
  if (unusable >= 0)
    fail(
      `${OPTION}[${unusable}] cannot be read as a private key: PKCS#8 PEM, JWK or KeyObject, of RSA with at least 2048 bits, P-256 or Ed25519. Is the environment variable set?`,
    );
  if (!found.includes('RS256'))
    fail(`${OPTION} needs an RSA key of at least 2048 bits for RS256, which every client supports.`);
  return found.includes(algorithm);
};
