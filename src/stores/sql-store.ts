import { mistake, type OnWarning, type WarningCode } from '../core/base/mistakes.js';
import type { Clock, Store } from '../core/base/ports.js';
import { clearInBackground, CLOCK_SLACK_MS, type ClearingOptions } from './clearing.js';
import { field } from './field.js';
import { isTexts, pageOf, parseRow } from './record.js';
import { revisionOf } from './revision.js';
import { StoreError } from './store-error.js';

/** Options of every store in an SQL server. */
export interface SqlStoreOptions extends ClearingOptions {
  /** Name of the table, by default `oauth_records`; `schema.table` works too. A second table has the same name with `_groups` appended. */
  readonly table?: string | undefined;
  /** Milliseconds to wait for a response before the call rejects, by default 2,000. */
  readonly timeout?: number | undefined;
  /** How many connections all processes together may open; `check` warns if the server allows fewer. By default not checked. */
  readonly connections?: number | undefined;
  /** Called with a sentence about a setting to change; default: `console.warn`. */
  readonly onWarning?: ((message: string, code: WarningCode) => void) | undefined;
  /** Returns milliseconds since the epoch; default: `Date.now`. */
  readonly clock?: Clock | undefined;
}

/** How `migrate` works. */
export interface MigrateOptions {
  /** Called with the SQL instead of executing it, one call per statement: for a database administrator, or for your own migrations. */
  readonly print?: ((sql: string) => void) | undefined;
}

/** A store in an SQL server. */
export interface SqlStore extends Required<Store> {
  /**
   * Creates missing tables, columns and indexes; if nothing is missing, it changes nothing and needs no permission to. Several
   * processes may call it at once. With `print`, it executes nothing.
   */
  migrate(options?: MigrateOptions): Promise<void>;
  /**
   * Rejects with an explanation if the tables are not as required, if this role may not read, write or delete in them, or
   * if the server is a replica. Warns about settings of the server to change.
   */
  check(): Promise<void>;
  /** Deletes up to `size` records, and as many group entries, that expired at least two minutes ago; resolves to their number. Runs automatically, see `clearEvery`. */
  clearExpired(size: number): Promise<number>;
  /** Stops clearing. Does not close your pool. */
  close(): Promise<void>;
}

/** The names of both tables, and the schema with its dot if there is one. */
export interface TableNames {
  readonly table: string;
  readonly groups: string;
  readonly schema: string;
  /** Without the schema. */
  readonly name: string;
}

/** @throws TypeError if the table is not a plain name. */
export function tableNames(store: string, table: string, maxLength: number): TableNames {
  const [, schema = '', name = ''] = /^([a-z_][a-z0-9_]*\.)?([a-z_][a-z0-9_]*)$/.exec(table) ?? [];
  if (name === '' || name.length > maxLength) {
    throw mistake(
      `${store}: table must be a name of lower-case letters, digits and _, of at most ${maxLength} characters, ` +
        `not ${JSON.stringify(table)}`,
      'OQ100',
    );
  }
  return { table, schema, name, groups: `${table}_groups` };
}

/**
 * The function of the options.
 *
 * @throws TypeError if there is none. A pool in place of the options has one as well, in its prototype, which fails apart from the pool.
 */
export function queryOf<Q>(store: string, options: { readonly query: Q }, example: string): Q {
  const { query }: { readonly query?: Q } = { ...options };
  if (typeof query !== 'function') throw mistake(`${store}: pass { query: ${example} }`, 'OQ100');
  return query;
}

/** A record to be written, and the present time. Times are in whole milliseconds since the epoch. */
export interface WrittenRecord {
  readonly key: string;
  readonly value: object;
  readonly end: number;
  readonly now: number;
  /** See `revisionOf`. */
  readonly rev: string;
}

/** What differs between the servers. Groups and keys are given once each. */
interface SqlEngine extends Pick<SqlStore, 'check'> {
  readonly server: string;
  /** What to do if a table or a column is missing. */
  readonly incomplete: string;
  /** Whether an error of the server says that. */
  isIncomplete(error: unknown): boolean;
  add(record: WrittenRecord, groups: readonly string[]): Promise<boolean>;
  swap(record: WrittenRecord, before: string, groups: readonly string[]): Promise<boolean>;
  /** The row of a live record, with its `value`. */
  get(key: string, now: number): Promise<readonly unknown[]>;
  /** The rows of live records, each with its `key` and `value`. */
  getMany(keys: readonly string[], now: number): Promise<readonly unknown[]>;
  /** The rows of a group, each with its `key`. */
  list(group: string, after: string, now: number, count: number): Promise<readonly unknown[]>;
  remove(key: string): Promise<unknown>;
  /** Deletes records and group entries that ended by then, and resolves to their number. */
  clear(end: number, size: number): Promise<number>;
  migrate(options: MigrateOptions): Promise<void>;
}

/** The store in a server. */
export function storeIn(engine: SqlEngine, options: SqlStoreOptions): SqlStore {
  // The columns have no fractions, which the clock may have.
  const clock = (): number => Math.floor((options.clock ?? Date.now)());
  /** The server only names what is missing, in the first request that fails. */
  const explained = <T>(answer: Promise<T>): Promise<T> =>
    answer.catch((error: unknown) => {
      throw engine.isIncomplete(error) ? mistake(engine.incomplete, 'OQ115', error) : error;
    });
  const clearExpired = (size: number): Promise<number> =>
    explained(engine.clear(clock() - CLOCK_SLACK_MS, Number(size)));
  const stopClearing = clearInBackground(clearExpired, options);
  const written = (key: string, value: object, expiresAt: number): WrittenRecord | undefined => {
    const now = clock();
    return expiresAt > now ? { key, value, end: Math.ceil(expiresAt), now, rev: revisionOf(value) } : undefined;
  };
  return {
    async add(key, value, expiresAt, groups = []) {
      const record = written(key, value, expiresAt);
      return record !== undefined && explained(engine.add(record, [...new Set(groups)]));
    },
    async swap(key, before, value, expiresAt, groups = []) {
      const record = written(key, value, expiresAt);
      return record !== undefined && explained(engine.swap(record, before, [...new Set(groups)]));
    },
    async get(key) {
      const [row] = await explained(engine.get(key, clock()));
      return parseRow(row);
    },
    async getMany(keys) {
      const different = [...new Set(keys)];
      if (different.length === 0) return [];
      const rows = await explained(engine.getMany(different, clock()));
      const records = new Map(rows.map((row) => [field(row, 'key'), parseRow(row)]));
      return keys.map((key) => records.get(key));
    },
    list: async (group, { after = '', limit }) =>
      pageOf(keysOf(await explained(engine.list(group, after, clock(), Number(limit) + 1)), engine.server), limit),
    delete: async (key) => void (await explained(engine.remove(key))),
    migrate: (given = {}) => engine.migrate(given),
    check: () => engine.check(),
    clearExpired,
    async close() {
      stopClearing();
    },
  };
}

/** The column `key` of rows. */
function keysOf(rows: readonly unknown[], server: string): string[] {
  const keys = rows.map((row) => field(row, 'key'));
  if (!isTexts(keys)) throw new StoreError('STORE_ANSWER', `${server} returned keys that are not strings`);
  return keys;
}

/** A member of the server's error. Libraries around a driver keep its error as the `cause`. */
export function causeWith(error: unknown, name: 'code' | 'errno'): unknown {
  for (let at = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth += 1) {
    if (name in at) return field(at, name);
  }
  return undefined;
}

/** What `check` reports about missing tables and permissions, the same for every server. */
export const problems = (store: string, { table, groups }: TableNames) => ({
  replica: `${store}: this server is a replica, or read-only; use the address of the primary`,
  incomplete: `${store}: the table ${table} or ${groups} is missing or incomplete; call migrate(), or run oauth-query client add --create, as a role that may create them`,
  forbidden: `${store}: this role needs SELECT, INSERT, UPDATE and DELETE on ${table} and ${groups}`,
});

/** Warns if the processes may open more connections than the server allows. */
export function warnOfConnections(
  { store, connections, remedy }: { readonly store: string; readonly connections: number; readonly remedy: string },
  allowed: number,
  warn: OnWarning,
): void {
  if (!(connections > allowed)) return;
  warn(
    `${store}: all processes together may open ${connections} connections, and this server allows ${allowed}. ` +
      `Give each process fewer connections, raise max_connections, or put ${remedy} between them.`,
    'OQ503',
  );
}
