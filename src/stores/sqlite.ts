/**
 * A store in a SQLite file, for the processes of one machine.
 *
 * @module oauth-query/stores/sqlite
 */

import type { WarningCode } from '../core/base/mistakes.js';
import type { Clock, Store } from '../core/base/ports.js';
import { clearInBackground, CLOCK_SLACK_MS, type ClearingOptions } from './clearing.js';
import { pageOf, parseKeys, parseRow } from './record.js';
import { doNotBlock, openFile, type SqliteDatabase, type SqliteStatement } from './sqlite-file.js';
import { inSnapshot, inTransaction, LockQueue } from './sqlite-lock.js';
import { prepare } from './sqlite-sql.js';
import { warningsTo } from './warnings.js';

export type { SqliteDatabase, SqliteStatement } from './sqlite-file.js';

/** Options of `sqliteStore`. Either `file` or `database` is required. */
export interface SqliteStoreOptions extends ClearingOptions {
  /** Path of the database file, which is created if missing. Several processes of one machine may share it. */
  readonly file?: string | undefined;
  /** Instead of `file`: an open database with your own settings. */
  readonly database?: SqliteDatabase | undefined;
  /** Milliseconds to wait for another process's write before the call rejects, by default 2,000. The event loop is not blocked. */
  readonly busyTimeout?: number | undefined;
  /** Called with a sentence about a setting to change; default: `console.warn`. */
  readonly onWarning?: ((message: string, code: WarningCode) => void) | undefined;
  /** Returns milliseconds since the epoch; default: `Date.now`. */
  readonly clock?: Clock | undefined;
}

/** A store in a SQLite file; see {@link sqliteStore}. */
export interface SqliteStore extends Required<Store> {
  /** Deletes up to `size` records, and as many group entries, that expired at least two minutes ago; resolves to their number. Runs automatically, see `clearEvery`. */
  clearExpired(size: number): Promise<number>;
  /** Stops clearing, and closes the database if the store opened it. */
  close(): Promise<void>;
}

/** A function that writes a record and its entries, or nothing. */
const putting =
  (write: (work: () => boolean) => Promise<boolean>, clock: Clock, enter: SqliteStatement) =>
  (
    key: string,
    expiresAt: number,
    groups: readonly string[],
    run: (end: number, now: number) => ReturnType<SqliteStatement['run']>,
  ): Promise<boolean> =>
    write(() => {
      const [now, end] = [clock(), Math.ceil(expiresAt)];
      if (!(expiresAt > now) || Number(run(end, now).changes) === 0) return false;
      for (const group of groups) enter.run(group, key, end);
      return true;
    });

/**
 * A store in a SQLite file: it survives a crash, and the processes of one machine may share it.
 *
 * The file is in WAL mode with `synchronous = NORMAL`: confirmed writes survive the crash of any process. A power
 * failure may lose the most recent writes, but never a write in between. For a store that loses nothing even then, open the
 * database yourself with `journal_mode = WAL`, `synchronous = FULL` and `busy_timeout = 0`, and pass it as `database`.
 *
 * While another process holds the lock, writes are retried until `busyTimeout`, in the order of the calls; the event loop is not blocked. Reads do not
 * wait. A new file and its log are readable by their owner only (0600); if an existing file is readable by others, `onWarning` is called.
 *
 * @throws Error at construction if there is no SQLite driver, or the file cannot be opened.
 * @returns a store that rejects with the driver's error if the file is locked for too long, full or missing.
 */
export function sqliteStore(options: SqliteStoreOptions): SqliteStore {
  const { file, clock = Date.now, busyTimeout = 2_000 } = options;
  const database = options.database ?? openFile(file, busyTimeout, warningsTo(options.onWarning));
  const { add, swap, get, remove, enter, list, clear, clearGroups } = prepare(database);
  if (database !== options.database) doNotBlock(database);
  let closed = false;
  const inQueue =
    (queue: LockQueue) =>
    <T>(work: () => T): Promise<T> =>
      queue.run(() => {
        // Not every driver rejects statements on a closed database.
        if (closed) throw new Error('sqliteStore: the store is closed');
        return work();
      });
  const read = inQueue(new LockQueue(busyTimeout));
  const change = inQueue(new LockQueue(busyTimeout));
  const write = <T>(work: () => T): Promise<T> => change(() => inTransaction(database, work));
  const clearOf = async (statement: SqliteStatement, size: number): Promise<number> =>
    Number((await write(() => statement.run(clock() - CLOCK_SLACK_MS, size))).changes);
  const clearExpired = async (size: number): Promise<number> =>
    (await clearOf(clear, size)) + (await clearOf(clearGroups, size));
  const stopClearing = clearInBackground(clearExpired, { clearBatch: 200, ...options });

  const put = putting(write, clock, enter);

  return {
    async add(key, value, expiresAt, groups = []) {
      const json = JSON.stringify(value);
      return put(key, expiresAt, groups, (end, now) => add.run(key, json, end, now));
    },
    async swap(key, before, value, expiresAt, groups = []) {
      const { rev, json } = { rev: value.rev, json: JSON.stringify(value) };
      return put(key, expiresAt, groups, (end, now) => swap.run(json, end, key, before, rev, now));
    },
    get: (key) => read(() => parseRow(get.get(key, clock()))),
    getMany: (keys) =>
      read(() => {
        const now = clock();
        return inSnapshot(database, () => keys.map((key) => parseRow(get.get(key, now))));
      }),
    list: (group, { after = '', limit }) =>
      read(() => pageOf(parseKeys(list.get(group, after, clock(), limit + 1)), limit)),
    delete: async (key) => void (await write(() => remove.run(key))),
    clearExpired,
    async close() {
      if (closed) return;
      closed = true;
      stopClearing();
      if (database !== options.database) database.close();
    },
  };
}
