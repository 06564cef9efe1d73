import type { VerifierHost } from '../../core/feature/index.js';

type Clock = VerifierHost['clock'];

/** Milliseconds: proofs that end in the same span are forgotten together. */
const SPAN = 30_000;

/** The most proofs of one token that are remembered, and of all tokens. */
const OF_TOKEN = 256;
const OF_ALL = 100_000;

interface Span {
  readonly proofs: Set<string>;
  readonly ofToken: Map<string, number>;
}

/**
 * The proofs that were used in this process. Only proofs that passed everything else are remembered, so a stranger adds none, and each token has
 * a share: one over its share is refused, and pushes out nothing of another.
 */
export class Replays {
  readonly #clock: Clock;
  readonly #spans = new Map<number, Span>();
  #size = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Remembers a proof until it ends.
   *
   * @param token - Names the token.
   * @param end - Milliseconds since the epoch.
   */
  add(proof: string, token: string, end: number): 'new' | 'replay' | 'too_many' {
    this.#forget();
    let count = 0;
    for (const { proofs, ofToken } of this.#spans.values()) {
      if (proofs.has(proof)) return 'replay';
      count += ofToken.get(token) ?? 0;
    }
    if (count >= OF_TOKEN || this.#size >= OF_ALL) return 'too_many';
    const at = Math.floor(end / SPAN);
    const span = this.#spans.get(at) ?? { proofs: new Set(), ofToken: new Map<string, number>() };
    span.proofs.add(proof);
    span.ofToken.set(token, (span.ofToken.get(token) ?? 0) + 1);
    this.#spans.set(at, span);
    this.#size += 1;
    return 'new';
  }

  #forget(): void {
    const now = Math.floor(this.#clock() / SPAN);
    for (const [at, { proofs }] of this.#spans) {
      if (at >= now) continue;
      this.#spans.delete(at);
      this.#size -= proofs.size;
    }
  }
}
