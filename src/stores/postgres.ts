/**
 * A store in PostgreSQL, for many machines.
 *
 * @module oauth-query/stores/postgres
 */

import { mistake } from '../core/base/mistakes.js';
import { field } from './field.js';
import { type Ask, postgresTables, statements } from './postgres-sql.js';
import {
  causeWith,
  problems,
  queryOf,
  type SqlStore,
  type SqlStoreOptions,
  storeIn,
  type TableNames,
  warnOfConnections,
} from './sql-store.js';
import { StoreError } from './store-error.js';
import { warningsTo } from './warnings.js';
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
export interface PostgresStoreOptions extends SqlStoreOptions {
  /** Sends a query to the database: `(text, values) => pool.query(text, values)` for pg. */
  readonly query: PostgresQuery;
}

/** A store in PostgreSQL; see {@link postgresStore}. `migrate` also gives the table of an earlier version a fill factor, waits at most a second for locks, and then rejects. */
export type PostgresStore = SqlStore;

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
 * @throws TypeError at construction if `table` is not a plain name, or `query` no function.
 * @returns a store that rejects with the driver's error, with a `StoreError` with the code `STORE_TIMEOUT` if no response
 * arrives in time, and with `STORE_ANSWER` if the response is invalid.
 */
export function postgresStore(options: PostgresStoreOptions): PostgresStore {
  const query = queryOf('postgresStore', options, '(text, values) => pool.query(text, values)');
  const { table = 'oauth_records', timeout = DEFAULT_TIMEOUT_MS } = options;
  const names = postgresTables(table);
  const sql = statements(names);
  const run = async (text: string, name: string, values: (string | number)[]): Promise<readonly unknown[]> => {
    const answer: unknown = await within(timeout, 'PostgreSQL', () => query(text, values, `${table}_${name}`));
    const rows = field(answer, 'rows');
    if (Array.isArray(rows)) return rows;
    throw new StoreError('STORE_ANSWER', '`query` of postgresStore did not return an object with `rows`');
  };
  const ask: Ask = (verb, ...values) => run(sql[verb], verb, values);
  return storeIn(
    {
      server: 'PostgreSQL',
      incomplete: problems('postgresStore', names).incomplete,
      isIncomplete: (error) => MISSING.has(causeWith(error, 'code')),
      async add({ key, value, end, now, rev }, groups) {
        const record = [key, JSON.stringify(value), end, now, rev];
        const rows =
          groups.length === 0
            ? await ask('add', ...record)
            : await run(sql.addTo(groups.length), `add_${groups.length}`, [...record, ...groups]);
        return rows.length === 1;
      },
      async swap({ key, value, end, now, rev }, before, groups) {
        const record = [key, JSON.stringify(value), end, now, rev, before];
        const rows =
          groups.length === 0
            ? await ask('swap', ...record)
            : await run(sql.swapIn(groups.length), `swap_${groups.length}`, [...record, ...groups]);
        return rows.length === 1;
      },
      get: (key, now) => ask('get', key, now),
      // One statement, and therefore one name, per number of keys.
      getMany: (keys, now) => run(sql.getMany(keys.length), `get_${keys.length}`, [now, ...keys]),
      list: (group, after, now, count) => ask('list', group, after, now, count),
      remove: (key) => ask('remove', key),
      clear: async (end, size) => (await ask('clear', end, size)).length + (await ask('clearGroups', end, size)).length,
      migrate: async ({ print }) => (print ? print(sql.migrate.trim()) : migrateTables(ask)),
      check: () => checkTable(ask, names, options),
    },
    options,
  );
}

/** The codes of the server for a missing table or column. */
const MISSING: ReadonlySet<unknown> = new Set(['42P01', '42703']);

/** Whether the tables are as required, and whether the first lacks room for swaps. */
async function look(ask: Ask): Promise<{ readonly complete: boolean; readonly packed: boolean }> {
  const [row] = await ask('look');
  return {
    complete: field(row, 'complete') === true,
    packed: field(row, 'packed') === true,
  };
}

async function migrateTables(ask: Ask): Promise<void> {
  const { complete, packed } = await look(ask);
  if (!complete || packed) await ask('migrate');
}

async function checkTable(
  ask: Ask,
  names: TableNames,
  { connections = 0, onWarning }: PostgresStoreOptions,
): Promise<void> {
  const { replica, incomplete, forbidden } = problems('postgresStore', names);
  const [row] = await ask('state');
  if (field(row, 'replica') === true) throw mistake(replica, 'OQ115');
  if (!(await look(ask)).complete) throw mistake(incomplete, 'OQ115');
  if (field(row, 'writable') !== true) throw mistake(forbidden, 'OQ115');
  warnOfConnections(
    { store: 'postgresStore', connections, remedy: 'PgBouncer' },
    Number(field(row, 'allowed')),
    warningsTo(onWarning),
  );
}
