import { isLoopbackHost } from '../core/base/addresses/loopback.js';
import type { FeatureHost } from '../core/base/feature.js';
import { fail } from '../core/base/schema.js';
import {
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

/** The keys that sign ID tokens: of each algorithm, the newest one. */
export class IdTokenKeys {
  /** Of a function, `RS256` alone, because the kinds of its keys are not known at the start. */
  readonly algorithms: readonly SigningAlgorithm[];
  readonly #ring: KeyRing;

  /**
   * @param lifetime - Of an ID token, in seconds: a key stays published for so long after its last signature.
   * @throws TypeError for an unusable key, or if none is for RS256.
   */
  constructor(given: KeySource | undefined, lifetime: number, host: FeatureHost) {
    const source = boundSource(given ?? generated(host), OPTION, host.bound);
    const isFunction = typeof source === 'function';
    this.#ring = new KeyRing({
      source,
      algorithms: isFunction ? ['RS256'] : SIGNING_ALGORITHMS,
      clock: host.clock,
      tokenLifetimeMs: lifetime * 1000,
      onError: host.onError,
      option: OPTION,
    });
    this.algorithms = isFunction ? ['RS256'] : this.#ring.algorithms;
    if (!this.algorithms.includes('RS256'))
      fail(`${OPTION} needs an RSA key of at least 2048 bits for RS256, which every client supports.`);
  }

  has(algorithm: string): algorithm is SigningAlgorithm {
    return this.algorithms.some((name) => name === algorithm);
  }

  /** The algorithm for a client that names this one, or none. */
  algorithmFor(named: SigningAlgorithm = 'RS256'): SigningAlgorithm {
    return this.has(named) ? named : 'RS256';
  }

  sign(header: (kid: string, algorithm: SigningAlgorithm) => string, payload: string, named?: SigningAlgorithm) {
    return this.#ring.sign(header, payload, this.algorithmFor(named));
  }

  /** A published key. */
  find(kid: string | undefined): ReturnType<KeyRing['find']> {
    return this.#ring.find(kid);
  }

  /** The published keys. */
  async publicKeys(): Promise<readonly Jwk[]> {
    return (await this.#ring.jwks()).keys;
  }
}
