import assert from 'node:assert/strict';
import type { Clock, Store } from '../stores/index.js';

/** A result, or a promise of it. */
export type MaybePromise<T> = T | Promise<T>;

/** A place for records: a database, a file, a key prefix. It starts empty. */
export interface StorePlace {
  /**
   * Opens a store for this place's records. Called several times for one place if `shared` is true;
   * `close`, if present, is called on each store when its case is over.
   */
  open(clock: Clock): MaybePromise<
    Store & {
      /** Releases the store's resources: its connection, its timer. */
      close?(): MaybePromise<void>;
    }
  >;
  /** Called once when the case is over and all stores are closed. */
  remove?(): MaybePromise<void>;
}

/** The environment of a case. */
export interface Bench {
  /** The store's clock, in milliseconds; a case may set it. */
  now: number;
  readonly store: Store;
  /** Opens another store for the same records, whose clock is `ahead` milliseconds ahead of `now`. */
  another(ahead?: number): Promise<Store>;
  /** Closes all stores and opens a new one. */
  reopen(): Promise<Store>;
}

export type Check = (bench: Bench) => Promise<void>;

/** Far from the system time, to detect a store that uses any other clock. */
export const START = Date.UTC(2031, 4, 5, 6, 7, 8, 9);
export const HOUR = 3_600_000;
export const MINUTE = 60_000;

/** Runs a case in a place, and cleans up. */
export const onPlace = async (makePlace: () => MaybePromise<StorePlace>, check: Check): Promise<void> => {
  const place = await makePlace();
  let opened: (() => MaybePromise<void>)[] = [];
  const open = async (clock: Clock): Promise<Store> => {
    const store = await place.open(clock);
    opened.push(() => store.close?.());
    return store;
  };
  const close = async (): Promise<void> => {
    const closing = opened;
    opened = [];
    for (const closeOne of closing) await closeOne();
  };
  try {
    const time = { now: START };
    const bench: Bench = Object.assign(time, {
      store: await open(() => time.now),
      another: (ahead = 0) => open(() => time.now + ahead),
      reopen: async () => {
        await close();
        return open(() => time.now);
      },
    });
    await check(bench);
  } finally {
    await close();
    await place.remove?.();
  }
};

export const range = (length: number): number[] => Array.from({ length }, (_, index) => index);

export const CALLERS = 20;

/** Makes 20 calls at once, spread over the stores. Exactly one of them writes, and the record is what it wrote. */
export const assertOneWrites = async <Value extends object>(
  stores: readonly Store[],
  key: string,
  valueOf: (caller: number) => Value,
  write: (store: Store, value: Value) => Promise<boolean>,
): Promise<void> => {
  const answers = await Promise.all(
    range(CALLERS).map(async (caller) => {
      const store = stores[caller % stores.length];
      assert.ok(store);
      return write(store, valueOf(caller));
    }),
  );
  for (const answer of answers) assert.equal(typeof answer, 'boolean', 'add and swap answer true or false');
  const winners = range(CALLERS).filter((caller) => answers[caller]);
  assert.equal(winners.length, 1, `${winners.length} of ${CALLERS} simultaneous calls were told that they wrote`);
  for (const store of stores) {
    assert.deepEqual(await store.get(key), valueOf(winners[0] ?? 0), 'the record is what the winner wrote');
  }
};
