/**
 * A store in PostgreSQL, for many machines.
 *
 * @module oauth-query/stores/postgres
 */

import type { Clock, Store } from '../core/base/ports.js';
import { clearInBackground, CLOCK_SLACK_MS, type ClearingOptions } from './clearing.js';
import { type Ask, statements } from './postgres-sql.js';
import { revisionOf } from './revision.js';
import { pageOf } from './page.js';
import { isTexts, parseRow } from './record.js';
import { StoreError } from './store-error.js';
import { DEFAULT_TIMEOUT_MS, within } from './within.js';

/**
 * Executes a statement with its values, like `query` of a pg `Pool`, of pglite and of most others. `name` is the same for
 * the same text, so that statements can be prepared by name.
 */
export type PostgresQuery = (
  text: string,
  values: (string | number)[],
  name: string,
) => Promise<{
  /** One object per row, keyed by column name; empty for a statement without rows. */
  readonly rows: readonly unknown[];
}>;

/** Options of `postgresStore`. */
export interface PostgresStoreOptions extends ClearingOptions {
  /** Sends a query to the database: `(text, values) => pool.query(text, values)` for pg. */
  readonly query: PostgresQuery;
  /** Name of the table, by default `oauth_records`; `schema.table` works too. A second table has the same name with `_groups` appended. */
  readonly table?: string;
  /** Milliseconds to wait for a response before the call rejects, by default 2,000. */
  readonly timeout?: number;
  /** How many connections all processes together may open; `check` warns if the server allows fewer. By default not checked. */
  readonly connections?: number;
  /** Called with a sentence about a setting to change; default: `console.warn`. */
  readonly onWarning?: (message: string) => void;
  /** Returns milliseconds since the epoch; default: `Date.now`. */
  readonly clock?: Clock;
}

/** A store in PostgreSQL; see {@link postgresStore}. */
export interface PostgresStore extends Required<Store> {
  /**
   * Creates missing tables, columns and indexes, and gives the table of an earlier version a fill factor; if nothing is missing, it changes nothing and needs no permission to. Several
   * processes may call it at once. It waits at most a second for locks, and then rejects.
   */
  migrate(): Promise<void>;
  /**
   * Rejects with an explanation if the tables are not as required, if this role may not read, write or delete in them, or
   * if the server is a replica. Warns if the server allows fewer connections than `connections`.
   */
  check(): Promise<void>;
  /** Deletes up to `size` records, and as many group entries, that expired at least two minutes ago; resolves to their number. Runs automatically, see `clearEvery`. */
  clearExpired(size: number): Promise<number>;
  /** Stops clearing. Does not close your pool. */
  close(): Promise<void>;
}

/**
 * A store in PostgreSQL 9.6 or later. One statement and one round trip per call.
 *
 * ```ts
 * const pool = new Pool({ connectionString, max: 4, connectionTimeoutMillis: 2_000, query_timeout: 2_000, keepAlive: true });
 * pool.on('error', log);   // without it, a broken idle connection ends the process
 * const store = postgresStore({ query: (text, values) => pool.query(text, values) });
 * await store.migrate();
 * await store.check();
 * ```
 *
 * `query_timeout` is enforced by this process, and closes a connection that no longer answers. `statement_timeout` would be sent to the server, and
 * PgBouncer rejects it.
 *
 * Every call is a single statement outside any transaction and keeps nothing in the session, so it works behind a pooler in transaction mode. For the same reason
 * statements are not prepared by name unless you do so, because another server connection would not know them. Without such a
 * pooler, this saves planning: `query: (text, values, name) => pool.query({ name, text, values })`.
 *
 * @throws TypeError at construction if `table` is not a plain name.
 * @returns a store that rejects with the driver's error, with a `StoreError` with the code `STORE_TIMEOUT` if no response
 * arrives in time, and with `STORE_ANSWER` if the response is invalid.
 */
export function postgresStore(options: PostgresStoreOptions): PostgresStore {
  const { query, table = 'oauth_records', timeout = DEFAULT_TIMEOUT_MS } = options;
  const { connections = 0, onWarning = console.warn } = options;
  // A bigint column does not accept fractions, which the clock may have.
  const clock = (): number => Math.floor((options.clock ?? Date.now)());
  const sql = statements(table);
  const run = async (text: string, name: string, values: (string | number)[]): Promise<readonly unknown[]> => {
    const { rows } = await within(timeout, 'PostgreSQL', () => query(text, values, `${table}_${name}`));
    if (!Array.isArray(rows)) throw new StoreError('STORE_ANSWER', 'PostgreSQL returned no rows array');
    return rows;
  };
  const ask: Ask = (verb, ...values) => run(sql[verb], verb, values);
  const clearExpired = async (size: number): Promise<number> => {
    const cleared = await ask('clear', clock() - CLOCK_SLACK_MS, size);
    return cleared.length + (await ask('clearGroups', clock() - CLOCK_SLACK_MS, size)).length;
  };
  const stopClearing = clearInBackground(clearExpired, options);

  return {
    async add(key, value, expiresAt, groups = []) {
      const now = clock();
      if (!(expiresAt > now)) return false;
      const record = [key, JSON.stringify(value), Math.ceil(expiresAt), now, revisionOf(value)];
      const names = [...new Set(groups)];
      const rows =
        names.length === 0
          ? await ask('add', ...record)
          : await run(sql.addTo(names.length), `add_${names.length}`, [...record, ...names]);
      return rows.length === 1;
    },
    async swap(key, before, value, expiresAt) {
      const now = clock();
      if (!(expiresAt > now)) return false;
      const rows = await ask('swap', key, before, JSON.stringify(value), Math.ceil(expiresAt), now, revisionOf(value));
      return rows.length === 1;
    },
    async get(key) {
      const [row] = await ask('get', key, clock());
      return parseRow(row);
    },
    async getMany(keys) {
      const different = [...new Set(keys)];
      if (different.length === 0) return [];
      // One statement, and therefore one name, per number of keys.
      const name = `get_${different.length}`;
      const rows = await run(sql.getMany(different.length), name, [clock(), ...different]);
      const records = new Map(rows.map((row) => [Reflect.get(Object(row), 'key'), parseRow(row)]));
      return keys.map((key) => records.get(key));
    },
    list: async (group, { after = '', limit }) =>
      pageOf(keysOf(await ask('list', group, after, clock(), limit + 1)), limit),
    delete: async (key) => void (await ask('remove', key)),
    migrate: async () => {
      const { complete, packed } = await look(ask);
      if (!complete || packed) await ask('migrate');
    },
    check: () => checkTable(ask, { table, connections, onWarning }),
    clearExpired,
    async close() {
      stopClearing();
    },
  };
}

function keysOf(rows: readonly unknown[]): string[] {
  const keys = rows.map((row): unknown => Reflect.get(Object(row), 'key'));
  if (!isTexts(keys)) throw new StoreError('STORE_ANSWER', 'PostgreSQL returned keys that are not text');
  return keys;
}

/** Whether the tables are as required, and whether the first lacks room for swaps. */
async function look(ask: Ask): Promise<{ readonly complete: boolean; readonly packed: boolean }> {
  const [row] = await ask('look');
  return {
    complete: Reflect.get(Object(row), 'complete') === true,
    packed: Reflect.get(Object(row), 'packed') === true,
  };
}

async function checkTable(
  ask: Ask,
  { table, connections, onWarning }: Required<Pick<PostgresStoreOptions, 'table' | 'connections' | 'onWarning'>>,
): Promise<void> {
  const [row] = await ask('state');
  const field = (name: string): unknown => Reflect.get(Object(row), name);
  if (field('replica') === true) {
    throw new Error('postgresStore: this server is a replica; use the address of the primary');
  }
  if (!(await look(ask)).complete) {
    throw new Error(
      `postgresStore: the table ${table} or ${table}_groups is missing or incomplete; call migrate() as a role that may create them`,
    );
  }
  if (field('writable') !== true) {
    throw new Error(`postgresStore: this role needs SELECT, INSERT, UPDATE and DELETE on ${table} and ${table}_groups`);
  }
  const allowed = Number(field('allowed'));
  if (connections > allowed) {
    onWarning(
      `postgresStore: all processes together may open ${connections} connections, and this server allows ${allowed}. ` +
        'Give each process fewer connections, raise max_connections, or put PgBouncer between them.',
    );
  }
}
