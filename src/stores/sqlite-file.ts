import { closeSync, openSync, statSync } from 'node:fs';
import { firstUsable, reasonsOf, REINSTALL } from '../core/base/missing-package.js';
import { mistake, type OnWarning } from '../core/base/mistakes.js';
import { oneLineProblem } from '../core/base/one-line.js';
import { requirePackage } from '../peers/load.js';

/** The part of a SQLite driver that is used: common to node:sqlite, better-sqlite3 and libsql. */
export interface SqliteDatabase {
  /** Executes statements without a result. */
  exec(sql: string): unknown;
  /** Prepares a statement to be executed many times. */
  prepare(sql: string): SqliteStatement;
  /** Closes the file. */
  close(): unknown;
}

/** A prepared, synchronous statement. */
export interface SqliteStatement {
  /** Executes it and returns the number of changed rows. */
  run(...values: (string | number)[]): {
    /** Rows written or deleted. */
    readonly changes: number | bigint;
  };
  /** Executes it and returns the first row as an object, or `undefined`. */
  get(...values: (string | number)[]): unknown;
}

/**
 * Opens a database file; a new one is made readable by its owner only. Until {@link doNotBlock} is called, each statement waits for locks as long as
 * opening may take, because several processes may be creating the same tables.
 *
 * @param openTimeout - Milliseconds.
 */
export function openFile(file: string | undefined, openTimeout: number, warn: OnWarning): SqliteDatabase {
  if (file === undefined) throw mistake("sqliteStore: pass { file: 'oauth.db' } or an open { database }", 'OQ100');
  const problem = oneLineProblem(file);
  if (problem !== undefined) throw mistake(`sqliteStore: file ${problem}`, 'OQ100');
  protectFile(file, warn);
  const database = openWithAnyDriver(file);
  // First, because the next statement may already compete with another process.
  database.exec(`PRAGMA busy_timeout = ${Number(openTimeout)}`);
  database.exec('PRAGMA journal_mode = WAL');
  database.exec('PRAGMA synchronous = NORMAL');
  return database;
}

/** From now on, a statement that meets a lock fails at once. */
export function doNotBlock(database: SqliteDatabase): void {
  database.exec('PRAGMA busy_timeout = 0');
}

/** SQLite gives its log the mode of the file, so the file must have it first. */
function protectFile(file: string, warn: OnWarning): void {
  if (process.platform === 'win32' || file === '' || file.startsWith(':') || file.startsWith('file:')) return;
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    if ((statSync(file).mode & 0o077) !== 0) {
      warn(
        `sqliteStore: other users may read ${file}, which contains names of owners and clients. Run: chmod 600 ${file}*`,
        'OQ501',
      );
    }
  }
}

type DatabaseClass = new (file: string) => SqliteDatabase;

/** In the order they are tried. */
const DRIVERS = [
  {
    name: 'node:sqlite',
    // The types are those of the oldest supported Node version, which lacks this module.
    load: () => (process.getBuiltinModule('node:sqlite') as { DatabaseSync: DatabaseClass } | undefined)?.DatabaseSync,
  },
  { name: 'better-sqlite3', load: () => requirePackage('better-sqlite3') as DatabaseClass },
  { name: 'libsql', load: () => requirePackage('libsql') as DatabaseClass },
];

function openWithAnyDriver(file: string): SqliteDatabase {
  // A driver that was not built for this Node version only fails when it opens a database.
  const found = firstUsable(DRIVERS, (Database) => void new Database(':memory:').close());
  if ('loaded' in found) return new found.loaded(file);
  const [first] = found.broken;
  if (first !== undefined)
    throw mistake(`sqliteStore: no SQLite driver works.${reasonsOf(found.broken)} ${REINSTALL}`, 'OQ114', first.error);
  throw mistake(
    'sqliteStore: no SQLite driver found. Use Node 22.13 or later, which includes node:sqlite, ' +
      'or install one: npm install libsql. better-sqlite3 and an open database work as well.',
    'OQ114',
  );
}
