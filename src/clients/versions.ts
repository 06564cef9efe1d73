import type { Clock } from '../core/base/ports.js';
import { UnavailableError } from '../core/base/errors.js';
import { type ExpiringRecord, isNumber, type Records, type Shape } from '../core/base/records.js';

/** One version of a value. Like every record it is written only once. */
interface VersionRecord extends ExpiringRecord {
  /** `null` if it was removed. */
  readonly registration: object | null;
  /** Milliseconds since the epoch. */
  readonly at_ms: number;
}

const VERSION: Shape<VersionRecord> = {
  exp: isNumber,
  at_ms: isNumber,
  registration: (value) => typeof value === 'object' && !Array.isArray(value),
};

/** A mark, or a version of which only the existence matters. */
const ANY: Shape<ExpiringRecord> = { exp: isNumber };

/** An existing version. */
export interface Version<T> {
  readonly number: number;
  readonly registration: T | undefined;
  readonly at_ms: number;
}

/** How far ahead one read looks: from one change to thousands, so that a frequently changed client is found in a few steps. */
const STRIDES = Array.from({ length: 13 }, (_, n) => 2 ** n - 1);

/** More steps than needed for any client that is not being changed constantly. */
const MAX_STEPS = 100;

/** The kind of value, and the lifetime of its records. */
interface VersionsOf {
  /** The prefix of its keys. */
  readonly kind: string;
  /** The expiry of a record written now: seconds since the epoch. */
  readonly end: () => number;
}

/**
 * The versions of clients, or of their documents, by the hashes of their names. Version n + 1 is added while version n exists, so exactly one of several concurrent changes of version
 * n succeeds, and readers always find one of the two. `past n` is written before it: these marks remain and lead to the newest
 * version, while older versions are deleted.
 */
export class Versions<T extends object> {
  readonly #records: Records;
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  readonly #of: VersionsOf;

  constructor(records: Records, clock: Clock, onError: (error: unknown) => void, of: VersionsOf) {
    this.#records = records;
    this.#clock = clock;
    this.#onError = onError;
    this.#of = of;
  }

  /**
   * The newest version, including that of a removed client.
   *
   * @param known - A version that existed at some time.
   */
  async newest(id: string, known = 1): Promise<Version<T> | undefined> {
    let n = known;
    for (let step = 0; step < MAX_STEPS; step += 1) {
      const [here, next, ...marks] = await this.#look(id, n);
      const ahead = marks.findLastIndex((mark) => mark !== undefined);
      if (ahead > 0) n += STRIDES[ahead] ?? 0;
      else if (ahead === 0 && next !== undefined) return versionOf<T>(n + 1, next);
      else if (here !== undefined) return versionOf<T>(n, here);
      // Neither a version nor a mark: the records may have been read before and after a change, in this order.
      else if (ahead === -1 && (await this.#records.get(this.#past(id, n), ANY)) === undefined) {
        if (n === 1) return undefined;
        n = 1;
      }
    }
    throw new UnavailableError('A client was changed too often while it was being read.');
  }

  /**
   * Writes the version after this one.
   *
   * @returns `undefined` if another call was faster.
   */
  async add(id: string, before: number, registration: T | undefined): Promise<Version<T> | undefined> {
    const exp = this.#of.end();
    const at_ms = this.#clock();
    const number = before + 1;
    if (before > 0) await this.#records.add(this.#past(id, before), { exp });
    const record: VersionRecord = { exp, at_ms, registration: registration ?? null };
    if (!(await this.#records.add(this.#version(id, number), record))) return undefined;
    // A very late caller may write a version that already existed and was deleted: then it has a successor.
    if ((await this.#records.get(this.#past(id, number), ANY)) !== undefined) return undefined;
    await this.#forget(id, number);
    return { number, registration, at_ms };
  }

  /** Deletes older versions. Leftovers are never read; if a process crashes, the second to last may remain. */
  async #forget(id: string, number: number): Promise<void> {
    const old = [number - 1, number - 2].filter((n) => n > 0);
    try {
      await Promise.all(old.map((n) => this.#records.delete(this.#version(id, n))));
    } catch (error) {
      this.#onError(error);
    }
  }

  #version(id: string, n: number): string {
    return `${this.#of.kind}:{${id}}:v${n}`;
  }

  /** The key of the mark that version n has a successor, or is about to. */
  #past(id: string, n: number): string {
    return `${this.#of.kind}:{${id}}:past${n}`;
  }

  #look(
    id: string,
    n: number,
  ): Promise<readonly [VersionRecord | undefined, VersionRecord | undefined, ...(ExpiringRecord | undefined)[]]> {
    return this.#records.getEach<[VersionRecord, VersionRecord, ...ExpiringRecord[]]>(
      [this.#version(id, n), VERSION],
      [this.#version(id, n + 1), VERSION],
      ...STRIDES.map((stride) => [this.#past(id, n + stride), ANY] as const),
    );
  }
}

const versionOf = <T>(number: number, { registration, at_ms }: VersionRecord): Version<T> => ({
  number,
  at_ms,
  // The server validates each field, as for every registry.
  registration: (registration ?? undefined) as T | undefined,
});
