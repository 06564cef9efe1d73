import type { JWTVerifyGetKey } from 'jose';
import type { LRUCache } from 'lru-cache';
import type { Authorization } from '../core/authorization.js';
import { UnavailableError } from '../core/errors.js';
import type { Clock } from '../core/ports.js';
import { singleFlight } from './single-flight.js';

/** The keys of one answer, and what was verified with them: it is forgotten with the keys, for one may have been withdrawn. */
export interface KeySet {
  readonly find: JWTVerifyGetKey;
  readonly verified: LRUCache<string, Authorization>;
}

/** Milliseconds for which keys are used before they are asked for again. */
const FRESH_FOR = 300_000;

/** Milliseconds between two questions, whatever happens: anybody can make up a token with a key that nobody knows. */
const ASK_AGAIN_AFTER = 10_000;

/** Milliseconds for which keys are used that cannot be asked for again. */
const USABLE_FOR = 86_400_000;

interface Known {
  readonly keys: KeySet;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** The published keys of an authorization server, kept while they are good for something. */
export class RemoteKeys {
  readonly #fetch: () => Promise<object>;
  readonly #clock: Clock;
  readonly #cacheSize: number;
  readonly #onError: (error: unknown) => void;
  #known: Known | undefined;
  #askedAt = -Infinity;
  #failure: unknown;
  readonly #load = singleFlight(() => this.#ask());

  /** @param fetch - Gets a JWK set (RFC 7517 §5). */
  constructor(
    fetch: () => Promise<object>,
    options: { readonly clock: Clock; readonly cacheSize: number; readonly onError: (error: unknown) => void },
  ) {
    this.#fetch = fetch;
    this.#clock = options.clock;
    this.#cacheSize = options.cacheSize;
    this.#onError = options.onError;
  }

  /**
   * The keys of now. Keys that were good an hour ago are better than none while nobody tells us newer ones.
   *
   * @throws UnavailableError
   */
  async current(): Promise<KeySet> {
    const now = this.#clock();
    const known = this.#known;
    if (known === undefined || now >= known.at + USABLE_FOR) return this.#load();
    if (now < known.at + FRESH_FOR || now < this.#askedAt + ASK_AGAIN_AFTER) return known.keys;
    return this.#load().catch((error: unknown) => {
      this.#onError(error);
      return known.keys;
    });
  }

  /**
   * The keys for a token whose key is not among {@link current}: the same again if they were asked for just now.
   *
   * @throws UnavailableError
   */
  async renewed(): Promise<KeySet> {
    if (this.#known === undefined || this.#clock() >= this.#askedAt + ASK_AGAIN_AFTER) return this.#load();
    if (this.#failure !== undefined) throw this.#failure;
    return this.#known.keys;
  }

  async #ask(): Promise<KeySet> {
    const at = this.#clock();
    this.#askedAt = at;
    try {
      const jwks = await this.#fetch();
      const [{ createLocalJWKSet }, { LRUCache }] = await Promise.all([import('jose'), import('lru-cache')]);
      const find = createLocalJWKSet(jwks as Parameters<typeof createLocalJWKSet>[0]); // It looks at the shape itself.
      this.#known = { keys: { find, verified: new LRUCache({ max: this.#cacheSize }) }, at };
      this.#failure = undefined;
      return this.#known.keys;
    } catch (cause) {
      this.#failure =
        cause instanceof UnavailableError
          ? cause
          : new UnavailableError('The keys of the authorization server cannot be read.', { cause });
      throw this.#failure;
    }
  }
}
