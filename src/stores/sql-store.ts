import { mistake, type OnWarning, type WarningCode } from '../core/base/mistakes.js';
import type { Clock, Store } from '../core/base/ports.js';
import type { ClearingOptions } from './clearing.js';
import { isTexts } from './record.js';
import { StoreError } from './store-error.js';

/** Options of every store in an SQL server. */
export interface SqlStoreOptions extends ClearingOptions {
  /** Name of the table, by default `oauth_records`; `schema.table` works too. A second table has the same name with `_groups` appended. */
  readonly table?: string;
  /** Milliseconds to wait for a response before the call rejects, by default 2,000. */
  readonly timeout?: number;
  /** How many connections all processes together may open; `check` warns if the server allows fewer. By default not checked. */
  readonly connections?: number;
  /** Called with a sentence about a setting to change; default: `console.warn`. */
  readonly onWarning?: ((message: string, code: WarningCode) => void) | undefined;
  /** Returns milliseconds since the epoch; default: `Date.now`. */
  readonly clock?: Clock;
}

/** How `migrate` works. */
export interface MigrateOptions {
  /** Called with the SQL instead of executing it, one call per statement: for a database administrator, or for your own migrations. */
  readonly print?: (sql: string) => void;
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

/** The column `key` of rows. */
export function keysOf(rows: readonly unknown[], server: string): string[] {
  const keys = rows.map((row): unknown => Reflect.get(Object(row), 'key'));
  if (!isTexts(keys)) throw new StoreError('STORE_ANSWER', `${server} returned keys that are not text`);
  return keys;
}

/** What `check` reports about missing tables and permissions, the same for every server. */
export const problems = (store: string, { table, groups }: TableNames) => ({
  replica: `${store}: this server is a replica, or read-only; use the address of the primary`,
  incomplete: `${store}: the table ${table} or ${groups} is missing or incomplete; call migrate() as a role that may create them`,
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
