import type { Clock } from '../../base/ports.js';
import type { Records } from '../../base/records.js';
import type { RandomSource } from '../../base/secrets.js';
import { CHAIN, type ChainRecord } from '../records/chain-record.js';
import { keys } from '../records/stored-records.js';

/** In milliseconds: the accuracy of a last use, so that a busy token causes one write an hour. */
const STEP = 3_600_000;

/** Tokens whose last use a process remembers. */
const MAX_REMEMBERED = 10_000;

/** What {@link TokenUses} depend on. */
interface TokenUseDependencies {
  readonly records: Records;
  readonly random: RandomSource;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/** Records when personal tokens were last used, in the chain of their grant, which has no code and no refresh token. No request waits for it. */
export class TokenUses {
  readonly #given: TokenUseDependencies;
  readonly #recorded = new Map<string, number>();

  constructor(given: TokenUseDependencies) {
    this.#given = given;
  }

  /** @param exp - When the token expires, in seconds since the epoch. */
  record(grant: string, exp: number): void {
    const { clock, onError } = this.#given;
    const now = clock();
    if (now - (this.#recorded.get(grant) ?? -Infinity) < STEP) return;
    if (this.#recorded.size >= MAX_REMEMBERED) this.#recorded.clear();
    this.#recorded.set(grant, now);
    this.#write(grant, exp, now).catch(onError);
  }

  async #write(grant: string, exp: number, used_ms: number): Promise<void> {
    const { records, random } = this.#given;
    const key = keys.chain(grant);
    const before = await records.get(key, CHAIN);
    const none = { exp, code: null, taken: null, current: null, last: null, done: null };
    const chain: ChainRecord = { ...none, ...before, rev: random.rev(), used_ms };
    if (before === undefined) await records.add(key, chain);
    else if (used_ms - (before.used_ms ?? 0) >= STEP) await records.swap(key, before.rev, chain);
  }
}
