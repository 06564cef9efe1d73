/**
 * A store in PostgreSQL, for many machines.
 *
 * @module oauth-query/stores/postgres
 */

import type { Clock, Store } from '../core/ports.js';
import { clearInBackground, CLOCK_SLACK_MS, type ClearingOptions } from './clearing.js';
import { parseRow } from './record.js';
import { StoreError } from './store-error.js';
import { DEFAULT_TIMEOUT_MS, within } from './within.js';

/**
 * Runs one statement with its values, like `query` of a pg `Pool`, of pglite, and of most others. `name` is the same for
 * the same text, for who wants to prepare statements by name.
 */
export type Query = (
  text: string,
  values: (string | number)[],
  name: string,
) => Promise<{
  /** Each an object by column name; empty for a statement that gives none. */
  readonly rows: readonly unknown[];
}>;

/** What `postgresStore` can be told. */
export interface PostgresStoreOptions extends ClearingOptions {
  /** How to ask the database: `(text, values) => pool.query(text, values)` for pg. */
  readonly query: Query;
  /** Name of the table, `oauth_records` unless told; `schema.table` works. */
  readonly table?: string;
  /** Milliseconds to wait for an answer before the call rejects, 2,000 unless told. */
  readonly timeout?: number;
  /** Milliseconds since the epoch; `Date.now` unless told. */
  readonly clock?: Clock;
}

export interface PostgresStore extends Store {
  /** Creates the table and its index when they are missing. Several processes may call it at once. */
  migrate(): Promise<void>;
  /** Removes up to `size` records that expired at least two minutes ago; says how many. Runs by itself, see `clearEvery`. */
  clearExpired(size: number): Promise<number>;
  /** Stops clearing. The pool belongs to who made it. */
  close(): Promise<void>;
}

/**
 * A store in PostgreSQL 9.5 or later. One statement and one round trip per call.
 *
 * ```ts
 * const pool = new Pool({ connectionString, connectionTimeoutMillis: 2_000, statement_timeout: 2_000 });
 * pool.on('error', log);   // a pool without it ends the process when an idle connection breaks
 * const store = postgresStore({ query: (text, values) => pool.query(text, values) });
 * await store.migrate();
 * ```
 *
 * Every call is a single statement outside any transaction, with nothing kept in the session: it works behind a pooler in transaction mode. For the same reason
 * no statement is prepared by name unless you do it, as another server connection would not know it. Without such a
 * pooler it saves planning: `query: (text, values, name) => pool.query({ name, text, values })`.
 *
 * @throws TypeError at construction when `table` is not a plain name.
 * @returns a store that rejects with the driver's error, with a `StoreError` of code `STORE_TIMEOUT` when no answer
 * comes in time, and with `STORE_ANSWER` when the answer makes no sense.
 */
export function postgresStore(options: PostgresStoreOptions): PostgresStore {
  const { query, table = 'oauth_records', timeout = DEFAULT_TIMEOUT_MS } = options;
  // A bigint column takes no fractions, should the clock have them.
  const clock = (): number => Math.floor((options.clock ?? Date.now)());
  const sql = statements(table);
  const ask = async (verb: keyof typeof sql, ...values: (string | number)[]): Promise<readonly unknown[]> => {
    const { rows } = await within(timeout, 'PostgreSQL', () => query(sql[verb], values, `${table}_${verb}`));
    if (!Array.isArray(rows)) throw new StoreError('STORE_ANSWER', 'PostgreSQL answered without rows');
    return rows;
  };
  const clearExpired = async (size: number): Promise<number> =>
    (await ask('clear', clock() - CLOCK_SLACK_MS, size)).length;
  const stopClearing = clearInBackground(clearExpired, options);

  return {
    async add(key, value, expiresAt) {
      const now = clock();
      if (!(expiresAt > now)) return false;
      const rows = await ask('add', key, JSON.stringify(value), Math.ceil(expiresAt), now);
      return rows.length === 1;
    },
    async get(key) {
      const [row] = await ask('get', key, clock());
      return parseRow(row);
    },
    async delete(key) {
      await ask('remove', key);
    },
    async migrate() {
      await ask('migrate');
    },
    clearExpired,
    async close() {
      stopClearing();
    },
  };
}

function statements(table: string): Record<'migrate' | 'add' | 'get' | 'remove' | 'clear', string> {
  if (!/^([a-z_][a-z0-9_]*\.)?[a-z_][a-z0-9_]*$/.test(table)) {
    throw new TypeError(
      `postgresStore: table must be a name of lower-case letters, digits and _, not ${JSON.stringify(table)}`,
    );
  }
  const index = `${table.replace(/^.*\./, '')}_by_expiry`;
  return {
    // "IF NOT EXISTS" alone fails when two sessions do it at once, so they queue up. The collation is the fastest one, and
    // compares bytes.
    migrate: `
      DO $migrate$ BEGIN
        PERFORM pg_advisory_xact_lock(hashtext('${table}'));
        CREATE TABLE IF NOT EXISTS ${table} (
          key text COLLATE "C" PRIMARY KEY,
          value text NOT NULL,
          expires_at bigint NOT NULL
        );
        CREATE INDEX IF NOT EXISTS ${index} ON ${table} (expires_at);
      END $migrate$`,
    // One statement decides and writes: who meets a row waits for its writer and then looks at the deadline again.
    add: `
      INSERT INTO ${table} AS record (key, value, expires_at) VALUES ($1, $2, $3)
      ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at
      WHERE record.expires_at <= $4
      RETURNING 1 AS wrote`,
    get: `SELECT value FROM ${table} WHERE key = $1 AND expires_at > $2`,
    remove: `DELETE FROM ${table} WHERE key = $1`,
    // Rows that another instance is clearing are left to it.
    clear: `
      DELETE FROM ${table} WHERE key IN (
        SELECT key FROM ${table} WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED
      ) RETURNING 1 AS cleared`,
  };
}
