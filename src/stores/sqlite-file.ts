import { closeSync, openSync, statSync } from 'node:fs';
import { mistake, type OnWarning } from '../core/base/mistakes.js';
import { oneLineProblem } from '../core/base/one-line.js';
import { sqliteDriver } from '../peers/sqlite.js';

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
  const isReadableByOthers = protectFile(file);
  const database = openWithAnyDriver(file);
  try {
    // First, because the next statement may already compete with another process.
    database.exec(`PRAGMA busy_timeout = ${Number(openTimeout)}`);
    database.exec('PRAGMA journal_mode = WAL');
    database.exec('PRAGMA synchronous = NORMAL');
  } catch (error) {
    database.close();
    throw /not a database/.test(String(error))
      ? mistake(`sqliteStore: ${file} exists and is not a SQLite database. Name another file`, 'OQ100', error)
      : error;
  }
  if (isReadableByOthers)
    warn(
      `sqliteStore: other users may read ${file}, which contains names of owners and clients. Run: chmod 600 ${file}*`,
      'OQ501',
    );
  return database;
}

/** From now on, a statement that meets a lock fails at once. */
export function doNotBlock(database: SqliteDatabase): void {
  database.exec('PRAGMA busy_timeout = 0');
}

/** SQLite gives its log the mode of the file, so the file must have it first. Returns whether others may read a file that was there. */
function protectFile(file: string): boolean {
  if (file === '' || file.startsWith(':') || file.startsWith('file:')) return false;
  try {
    closeSync(openSync(file, 'wx', 0o600));
    return false;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST'))
      throw mistake(
        `sqliteStore: the file cannot be created: ${String(error)}. Its folder must exist, and this user must be allowed to write to it`,
        'OQ100',
        error,
      );
    const found = statSync(file);
    if (found.isDirectory())
      throw mistake(`sqliteStore: ${file} is a folder. Name a file in it, such as ${file}/oauth.db`, 'OQ100');
    return process.platform !== 'win32' && (found.mode & 0o077) !== 0;
  }
}

function openWithAnyDriver(file: string): SqliteDatabase {
  const found = sqliteDriver<SqliteDatabase>(() => undefined);
  if ('Driver' in found) return new found.Driver(file);
  if (found.problem !== undefined)
    throw mistake(`sqliteStore: no SQLite driver works.${found.problem}`, 'OQ114', found.cause);
  throw mistake(
    'sqliteStore: no SQLite driver found. Use Node 22.13 or later, which includes node:sqlite, ' +
      'or install one: npm install libsql. better-sqlite3 and an open database work as well.',
    'OQ114',
  );
}
