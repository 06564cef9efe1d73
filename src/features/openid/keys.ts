import { generateKeyPairSync } from 'node:crypto';
import { fail, type FeatureHost, isLoopbackHost, type KeySource } from '../../core/feature/index.js';

const OPTION = 'openIdConnect: options.keys';

type SigningKeys = ReturnType<FeatureHost['signingKeys']>;

/** The algorithms of ID tokens. */
const ALGORITHMS = ['RS256', 'ES256', 'EdDSA', 'PS256'] as const;

/** An algorithm of ID tokens. */
export type Algorithm = (typeof ALGORITHMS)[number];

/** Whether no other feature excludes RS256, which every client supports and which is the default (OpenID Connect Discovery 1.0 §3). */
const isUsual = ({ rules: { signing } }: FeatureHost): boolean => signing?.value.includes('RS256') !== false;

/** On loopback, where examples and tests run, a key is generated. */
const generated = (host: FeatureHost): KeySource => {
  const { issuer = '' } = host;
  if (!isLoopbackHost(new URL(issuer).hostname))
    fail(
      `${OPTION} is missing. Make a key with "npx oauth-query key" and pass it as keys: [{ key: process.env.ID_TOKEN_KEY }].`,
    );
  host.onWarning(
    'Missing option: openid.keys (generated at start: ID tokens cannot be verified after the process has ended, or by other processes).',
    'OQ201',
  );
  return isUsual(host)
    ? [{ key: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey }]
    : [{ key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey }];
};

/** The keys that sign ID tokens: of each algorithm, the newest one. */
export class IdTokenKeys {
  /** Of a function, the default alone, because the kinds of its keys are not known at the start. */
  readonly algorithms: readonly Algorithm[];
  readonly #keys: SigningKeys;
  /** For clients that name none. */
  readonly #usual: Algorithm;

  /**
   * @param lifetime - Of an ID token, in seconds: a key stays published for so long after its last signature.
   * @throws TypeError for an unusable key, or if none is for RS256.
   */
  constructor(given: KeySource | undefined, lifetime: number, host: FeatureHost) {
    const source = given ?? generated(host);
    const { signing } = host.rules;
    const allowed = ALGORITHMS.filter((name) => signing?.value.includes(name) !== false);
    const algorithms = typeof source === 'function' ? allowed.slice(0, 1) : allowed;
    this.#keys = host.signingKeys({ source, algorithms, lifetime, option: OPTION });
    this.algorithms = this.#keys.algorithms;
    this.#usual = allowed.find((name) => this.algorithms.includes(name)) ?? 'RS256';
    if (isUsual(host) && !this.algorithms.includes('RS256'))
      fail(`${OPTION} needs an RSA key of at least 2048 bits for RS256, which every client supports.`);
  }

  has(algorithm: string): algorithm is Algorithm {
    return this.algorithms.some((name) => name === algorithm);
  }

  /** The algorithm for a client that names this one, or none. */
  algorithmFor(named: Algorithm = this.#usual): Algorithm {
    return this.has(named) ? named : this.#usual;
  }

  sign(header: (kid: string, algorithm: Algorithm) => string, payload: string, named?: Algorithm): Promise<string> {
    return this.#keys.sign(header, payload, this.algorithmFor(named));
  }

  /** The published key that a header names. */
  find(header: Parameters<SigningKeys['find']>[0]): ReturnType<SigningKeys['find']> {
    return this.#keys.find(header);
  }

  /** The published keys. */
  published(): ReturnType<SigningKeys['published']> {
    return this.#keys.published();
  }
}
