import type { JWTVerifyGetKey } from 'jose';
import { createLocalJWKSet } from 'jose/jwks/local';
import { LRUCache } from 'lru-cache';
import type { Authorization } from '../core/base/authorization.js';
import { UnavailableError } from '../core/base/errors.js';
import type { Clock } from '../core/base/ports.js';
import { singleFlight } from '../core/base/single-flight.js';

/** A key set, with the tokens verified with it: these are dropped with the keys, because a key may have been withdrawn. */
export interface KeySet {
  readonly find: JWTVerifyGetKey;
  readonly verified: LRUCache<string, Authorization>;
}

/** Milliseconds after which keys are fetched again. */
const FRESH_FOR = 300_000;

/** Minimum milliseconds between two fetches: anyone can invent a token with an unknown key. */
const ASK_AGAIN_AFTER = 10_000;

/** Milliseconds for which keys are used when they cannot be fetched again. */
const USABLE_FOR = 86_400_000;

interface Known {
  readonly keys: KeySet;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

interface RemoteKeysOptions {
  readonly clock: Clock;
  readonly cacheSize: number;
  readonly onError: (error: unknown) => void;
}

/** Caches the published keys of an authorization server. */
export class RemoteKeys {
  readonly #fetch: () => Promise<object>;
  readonly #options: RemoteKeysOptions;
  #known: Known | undefined;
  #askedAt = -Infinity;
  #failure: unknown;
  readonly #load = singleFlight(() => this.#ask());

  /** @param fetch - Fetches a JWK set (RFC 7517 §5). */
  constructor(fetch: () => Promise<object>, options: RemoteKeysOptions) {
    this.#fetch = fetch;
    this.#options = options;
  }

  /**
   * The current keys. If no newer ones can be fetched, those of the last day are better than none.
   *
   * @throws UnavailableError
   */
  async current(): Promise<KeySet> {
    const now = this.#options.clock();
    const known = this.#known;
    if (known === undefined || now >= known.at + USABLE_FOR) return this.#load();
    if (now < known.at + FRESH_FOR || now < this.#askedAt + ASK_AGAIN_AFTER) return known.keys;
    return this.#load().catch((error: unknown) => {
      this.#options.onError(error);
      return known.keys;
    });
  }

  /**
   * The keys for a token whose key is not in {@link current}: the same ones if they were just fetched.
   *
   * @throws UnavailableError
   */
  async renewed(): Promise<KeySet> {
    if (this.#known === undefined || this.#options.clock() >= this.#askedAt + ASK_AGAIN_AFTER) return this.#load();
    if (this.#failure !== undefined) throw this.#failure;
    return this.#known.keys;
  }

  async #ask(): Promise<KeySet> {
    const at = this.#options.clock();
    this.#askedAt = at;
    try {
      const jwks = await this.#fetch();
      const find = createLocalJWKSet(jwks as Parameters<typeof createLocalJWKSet>[0]); // It validates the shape itself.
      this.#known = { keys: { find, verified: new LRUCache({ max: this.#options.cacheSize }) }, at };
      this.#failure = undefined;
      return this.#known.keys;
    } catch (cause) {
      this.#failure =
        cause instanceof UnavailableError
          ? cause
          : new UnavailableError('The keys of the authorization server are unreadable.', { cause });
      throw this.#failure;
    }
  }
}
