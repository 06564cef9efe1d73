import { keyedHash, type VerifierHost } from '../../core/feature/index.js';

type Clock = VerifierHost['clock'];

/** Milliseconds of a step: a nonce is the same for so long. */
const STEP = 30_000;

/** Steps for which a nonce is valid after its own. */
const VALID_AFTER = 2;

/** Steps by which the clock of another process may be ahead. */
const AHEAD = 1;

/**
 * Nonces (RFC 9449 §8) that every process with the same secret knows: each is a keyed hash of the time, and nothing is stored. All endpoints and
 * resources of an issuer share them, because clients keep one nonce for an origin.
 */
export class Nonces {
  readonly #keys: readonly string[];
  readonly #clock: Clock;
  #step = Number.NaN;
  #current = '';
  /** The valid nonces, and the time in milliseconds since the epoch at which each ends. */
  #ends = new Map<unknown, number>();

  /** @param keys - The first one creates nonces, those of all are accepted. */
  constructor(keys: readonly string[], clock: Clock) {
    this.#keys = keys;
    this.#clock = clock;
  }

  /** The nonce to use now. */
  get current(): string {
    this.#renew();
    return this.#current;
  }

  /** When a nonce ends, in milliseconds since the epoch; `undefined` if it is not valid. */
  endOf(nonce: unknown): number | undefined {
    this.#renew();
    return this.#ends.get(nonce);
  }

  #renew(): void {
    const step = Math.floor(this.#clock() / STEP);
    if (step === this.#step) return;
    const nonceOf = (key: string, at: number): string => keyedHash(key, String(at)).slice(0, 22);
    const ends = new Map<unknown, number>();
    for (const key of this.#keys)
      for (let at = step - VALID_AFTER; at <= step + AHEAD; at += 1)
        ends.set(nonceOf(key, at), (at + VALID_AFTER + 1) * STEP);
    const [first] = this.#keys;
    this.#current = first === undefined ? '' : nonceOf(first, step);
    this.#ends = ends;
    this.#step = step;
  }
}
