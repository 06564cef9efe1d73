/**
 * A store in a SQLite file, for the processes of one machine.
 *
 * @module oauth-query/stores/sqlite
 */

import { createRequire } from 'node:module';
import type { Clock, Store } from '../core/ports.js';
import { clearInBackground, CLOCK_SLACK_MS, type ClearingOptions } from './clearing.js';
import { parseRow } from './record.js';

/** The part of a SQLite driver that is used: node:sqlite, better-sqlite3 and libsql all have it. */
export interface SqliteDatabase {
  /** Runs statements that give nothing back. */
  exec(sql: string): unknown;
  /** Prepares one statement, to be run many times. */
  prepare(sql: string): SqliteStatement;
  /** Closes the file. */
  close(): unknown;
}

/** A prepared statement, asked synchronously. */
export interface SqliteStatement {
  /** Runs it and says how many rows it changed. */
  run(...values: (string | number)[]): {
    /** How many rows were written or deleted. */
    readonly changes: number | bigint;
  };
  /** Runs it and gives the first row as an object, or `undefined`. */
  get(...values: (string | number)[]): unknown;
}

/** What `sqliteStore` can be told. `file` or `database` is needed. */
export interface SqliteStoreOptions extends ClearingOptions {
  /** Path of the database file; it is created when missing. Several processes of one machine may share it. */
  readonly file?: string;
  /** Instead of `file`: an open database, with the settings that its owner chose. */
  readonly database?: SqliteDatabase;
  /** Milliseconds to wait for another process's write, 2,000 unless told. The process waits with it, so keep it short. */
  readonly busyTimeout?: number;
  /** Milliseconds since the epoch; `Date.now` unless told. */
  readonly clock?: Clock;
}

export interface SqliteStore extends Store {
  /** Removes up to `size` records that expired at least two minutes ago; says how many. Runs by itself, see `clearEvery`. */
  clearExpired(size: number): Promise<number>;
  /** Stops clearing, and closes the database if the store opened it. */
  close(): Promise<void>;
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS oauth_records (
    key TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL,
    expires_at INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS oauth_records_by_expiry ON oauth_records (expires_at)`;

// One statement decides and writes, so SQLite's write lock makes it atomic among threads and processes.
const ADD = `
  INSERT INTO oauth_records (key, value, expires_at) VALUES (?, ?, ?)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at
  WHERE oauth_records.expires_at <= ?`;

const CLEAR = `
  DELETE FROM oauth_records
  WHERE key IN (SELECT key FROM oauth_records WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`;

/**
 * A store in a SQLite file: survives a crash, and several processes of one machine may share it.
 *
 * The file is in WAL mode with `synchronous = NORMAL`: what was answered survives the death of every process. A power
 * cut may lose the last moments as a whole, never a record from the middle. For a store that loses nothing even then, open the
 * database yourself with `synchronous = FULL` and pass it as `database`.
 *
 * @throws Error at construction when Node brings no SQLite and no driver is installed, or the file cannot be opened.
 * @returns a store that rejects with the driver's error when the file is locked for too long, full or gone.
 */
export function sqliteStore(options: SqliteStoreOptions): SqliteStore {
  const { file, clock = Date.now, busyTimeout = 2_000 } = options;
  const database = options.database ?? openFile(file, busyTimeout);
  database.exec(SCHEMA);
  const add = database.prepare(ADD);
  const get = database.prepare('SELECT value FROM oauth_records WHERE key = ? AND expires_at > ?');
  const remove = database.prepare('DELETE FROM oauth_records WHERE key = ?');
  const clear = database.prepare(CLEAR);
  // Not every driver refuses to run a statement of a closed database.
  let closed = false;
  const ready = (statement: SqliteStatement): SqliteStatement => {
    if (closed) throw new Error('sqliteStore: the store is closed');
    return statement;
  };
  const clearExpired = (size: number): number => Number(ready(clear).run(clock() - CLOCK_SLACK_MS, size).changes);
  const stopClearing = clearInBackground(clearExpired, { clearBatch: 200, ...options });

  // The drivers are synchronous; `async` turns what they throw into a rejection.
  return {
    async add(key, value, expiresAt) {
      const now = clock();
      if (!(expiresAt > now)) return false;
      return Number(ready(add).run(key, JSON.stringify(value), Math.ceil(expiresAt), now).changes) === 1;
    },
    async get(key) {
      return parseRow(ready(get).get(key, clock()));
    },
    async delete(key) {
      ready(remove).run(key);
    },
    async clearExpired(size) {
      return clearExpired(size);
    },
    async close() {
      if (closed) return;
      closed = true;
      stopClearing();
      if (database !== options.database) database.close();
    },
  };
}

function openFile(file: string | undefined, busyTimeout: number): SqliteDatabase {
  if (file === undefined) throw new TypeError('sqliteStore: give a file or an open database');
  const database = openWithAnyDriver(file);
  // First, because the next one may already meet another process.
  database.exec(`PRAGMA busy_timeout = ${Number(busyTimeout)}`);
  database.exec('PRAGMA journal_mode = WAL');
  database.exec('PRAGMA synchronous = NORMAL');
  return database;
}

type DatabaseClass = new (file: string) => SqliteDatabase;

const require = createRequire(import.meta.url);

/** In the order in which they are tried. */
const DRIVERS: readonly (() => DatabaseClass | undefined)[] = [
  // The types are those of the oldest Node that we run on, which has no such module.
  () => (process.getBuiltinModule('node:sqlite') as { DatabaseSync: DatabaseClass } | undefined)?.DatabaseSync,
  () => require('better-sqlite3'),
  () => require('libsql'),
];

function openWithAnyDriver(file: string): SqliteDatabase {
  for (const load of DRIVERS) {
    const Database = usable(load);
    if (Database) return new Database(file);
  }
  throw new Error(
    'sqliteStore: no SQLite driver found. Use Node 22.13 or later, which brings node:sqlite, ' +
      'or install better-sqlite3 or libsql, or pass an open database.',
  );
}

function usable(load: () => DatabaseClass | undefined): DatabaseClass | undefined {
  try {
    const Database = load();
    // A driver that was not built for this Node is only found out when it opens something.
    if (Database) new Database(':memory:').close();
    return Database;
  } catch {
    return undefined;
  }
}
