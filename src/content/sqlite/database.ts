import { atCaller, mistake } from '../../core/base/mistakes.js';
import { oneLineProblem } from '../../core/base/one-line.js';
import { TEXT_RULES } from '../../core/query/index.js';
import { sqliteDriver } from '../../peers/sqlite.js';
import { SCHEMA, SCHEMA_VERSION } from './schema.js';
import { type Sql, sql, type SqlValue } from './sql.js';

/** The part of a SQLite driver that is used, which node:sqlite, better-sqlite3 and libsql share. */
interface Driver {
  exec(sql: string): unknown;
  prepare(sql: string): Statement;
  close(): unknown;
}

interface Statement {
  run(...values: readonly SqlValue[]): { readonly lastInsertRowid: number | bigint };
  all(...values: readonly SqlValue[]): unknown[];
  iterate(...values: readonly SqlValue[]): IterableIterator<unknown>;
}

/** Of a file: the index in it was written by the rules of its version. */
const VERSION = SCHEMA_VERSION * 1_000 + TEXT_RULES;

/** The content of a site in a SQLite file. */
export class ContentDatabase {
  readonly #driver: Driver;
  readonly #statements = new Map<string, Statement>();
  #closed = false;

  /** @throws NoDriver if no driver is available, Error if the file cannot be opened or is of a different version, TypeError for a name that is no file's. */
  constructor(file: string) {
    const problem = oneLineProblem(file);
    if (problem !== undefined)
      throw atCaller(mistake(`ContentDatabase: the file ${problem}`, 'OQ100'), ContentDatabase);
    this.#driver = openWithAnyDriver(file);
    this.#driver.exec('PRAGMA busy_timeout = 5000');
    this.#driver.exec('PRAGMA journal_mode = WAL');
    this.#driver.exec('PRAGMA synchronous = NORMAL');
    const { user_version: version } = this.first<{ user_version: number }>(sql`PRAGMA user_version`) ?? {};
    if (version !== VERSION) {
      if (this.first(sql`SELECT 1 FROM sqlite_schema WHERE name = 'page'`)) {
        this.close();
        throw new Error(
          `${file} cannot be used: it was created by a different version of oauth-query. Delete it, and import again.`,
        );
      }
      this.#driver.exec(`PRAGMA user_version = ${VERSION}`);
    }
    this.#driver.exec(SCHEMA);
  }

  /** All rows, with the type of the selected columns. */
  all<Row>(query: Sql): readonly Row[] {
    return this.#prepare(query.text).all(...query.values) as Row[];
  }

  /** The rows one by one: the caller may stop, and then no further ones are computed. */
  each<Row>(query: Sql): IterableIterator<Row> {
    return this.#prepare(query.text).iterate(...query.values) as IterableIterator<Row>;
  }

  /** The first row, if any. */
  first<Row>(query: Sql): Row | undefined {
    return this.all<Row>(query)[0];
  }

  /** Executes a write, and returns the last inserted id. */
  run(query: Sql): number {
    return Number(this.#prepare(query.text).run(...query.values).lastInsertRowid);
  }

  /** Executes statements without values. */
  exec(text: string): void {
    this.#driver.exec(text);
  }

  /** Runs a transaction. Other processes read the previous content until it is committed. */
  transaction(work: () => void): void {
    this.exec('BEGIN IMMEDIATE');
    try {
      work();
      this.exec('COMMIT');
    } catch (error) {
      try {
        this.exec('ROLLBACK');
      } catch {
        // A full disk has already rolled back; its error says more.
      }
      throw error;
    }
  }

  /** Checkpoints the database, so that the file can be copied or renamed. */
  flush(): void {
    this.all(sql`PRAGMA wal_checkpoint (TRUNCATE)`);
  }

  /** Closes the database. Further calls have no effect. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#statements.clear();
    this.#driver.close();
  }

  #prepare(text: string): Statement {
    let statement = this.#statements.get(text);
    if (!statement) {
      statement = this.#driver.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }
}

/** No SQLite driver with full-text search works. The message names what to install; `cause` is the error of a driver that is installed and does not work. */
export class NoDriver extends Error {
  /** Always `NoDriver`. */
  override readonly name = 'NoDriver';
}

const openWithAnyDriver = (file: string): Driver => {
  const found = sqliteDriver<Driver>((database) => database.exec('CREATE VIRTUAL TABLE probe USING fts5(text)'));
  if ('Driver' in found) return new found.Driver(file);
  const needs = 'Content in a file requires SQLite with full-text search.';
  if (found.problem !== undefined) throw new NoDriver(needs + found.problem, { cause: found.cause });
  throw new NoDriver(`${needs} Use Node 22.13 or later, or run npm install libsql.`);
};
