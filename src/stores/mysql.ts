/**
 * A store in MariaDB or MySQL, for many machines; also in a Galera cluster.
 *
 * @module oauth-query/stores/mysql
 */

import { mistake, type OnWarning } from '../core/base/mistakes.js';
import { field } from './field.js';
import { MAX_KEY_BYTES, mysqlStatements, mysqlTables, type Statements } from './mysql-sql.js';
import {
  causeWith,
  problems,
  queryOf,
  type SqlStore,
  type SqlStoreOptions,
  storeIn,
  type TableNames,
  warnOfConnections,
  type WrittenRecord,
} from './sql-store.js';
import { StoreError } from './store-error.js';
import { warningsTo } from './warnings.js';
import { DEFAULT_TIMEOUT_MS, within } from './within.js';

/**
 * Executes a statement with its values, and returns the rows of a query, or an object with the number of affected rows: what `execute` of the driver
 * `mariadb` returns, and the first element of what `execute` of `mysql2/promise` returns.
 */
export type MysqlQuery = (text: string, values: (string | number)[]) => Promise<unknown>;

/** Options of `mysqlStore`. */
export interface MysqlStoreOptions extends SqlStoreOptions {
  /** Sends a statement to the database, outside any transaction: `async (text, values) => (await pool.execute(text, values))[0]` for `mysql2/promise`. */
  readonly query: MysqlQuery;
}

/** A store in MariaDB or MySQL; see {@link mysqlStore}. */
export type MysqlStore = SqlStore;

/**
 * A store in MariaDB 10.6 or later, or MySQL 8.
 *
 * ```ts
 * const pool = mysql.createPool({ uri, connectionLimit: 4, connectTimeout: 2_000 });   // mysql2/promise
 * const store = mysqlStore({ query: async (text, values) => (await pool.execute(text, values))[0] });
 * await store.migrate();
 * await store.check();
 * ```
 *
 * Every statement is a transaction of its own and keeps nothing in the session. Use `execute`, which sends values separately from the text: `query` of
 * `mysql2` puts them into the text, in a way that is unsafe if the server's `sql_mode` contains `NO_BACKSLASH_ESCAPES`.
 *
 * A statement that ends in a deadlock, or loses the certification of a Galera cluster, is sent again a few times. It has the same `rev`, so it cannot be counted twice. In a
 * cluster whose nodes are all written to, set `wsrep_sync_wait = 7` for the session: otherwise a node answers before it has applied what another confirmed.
 *
 * @throws TypeError at construction if `table` is not a plain name, or `query` no function.
 * @returns a store that rejects with the driver's error, with a `StoreError` with the code `STORE_TIMEOUT` if no response
 * arrives in time, and with `STORE_ANSWER` if the response is invalid.
 */
export function mysqlStore(options: MysqlStoreOptions): MysqlStore {
  const query = queryOf('mysqlStore', options, 'async (text, values) => (await pool.execute(text, values))[0]');
  const { table = 'oauth_records', connections = 0 } = options;
  const names = mysqlTables(table);
  const sql = mysqlStatements(names);
  const database = databaseOver({ ...options, query });
  const { rows, affected } = database;
  /** Before the record, so that a live record is in its groups whatever fails in between. */
  const enter = async ({ key, end }: WrittenRecord, groups: readonly string[]): Promise<void> => {
    for (const name of [key, ...groups]) checkLength(name);
    if (groups.length > 0) await affected(sql.enter(groups.length), ...groups.flatMap((group) => [group, key, end]));
  };
  return storeIn(
    {
      server: 'MySQL',
      incomplete: problems('mysqlStore', names).incomplete,
      isIncomplete: (error) => MISSING.has(errnoOf(error)),
      async add(record, groups) {
        const json = toAscii(record.value);
        await enter(record, groups);
        return addRecord(database, sql, record, json);
      },
      async swap(record, before, groups) {
        const { key, value, end, now, rev } = record;
        const json = toAscii(value);
        await enter(record, groups);
        return (await affected(sql.swap, json, end, rev, key, before, rev, now)) === 1;
      },
      get: (key, now) => rows(sql.get, key, now),
      getMany: (keys, now) => rows(sql.getMany(keys.length), ...keys, now),
      list: (group, after, now, count) => rows(sql.list(count), group, after, now),
      remove: (key) => affected(sql.remove, key),
      clear: async (end, size) => (await affected(sql.clear(size), end)) + (await affected(sql.clearGroups(size), end)),
      async migrate({ print }) {
        if (print) for (const statement of sql.schema) print(statement);
        else await migrateTables(database, sql);
      },
      async check() {
        warnOfSettings(await checkServer(database, sql, names), connections, warningsTo(options.onWarning));
      },
    },
    options,
  );
}

/** `INSERT IGNORE`, and a session that is not strict, would cut a longer name to that of another record. */
function checkLength(name: string): void {
  if (Buffer.byteLength(name) <= MAX_KEY_BYTES) return;
  throw new RangeError(
    `mysqlStore: the key or group ${JSON.stringify(name.slice(0, 40))}… has ${Buffer.byteLength(name)} bytes, and its column keeps at most ${MAX_KEY_BYTES}`,
  );
}

interface Database {
  /** Executes a query. */
  rows(text: string, ...values: (string | number)[]): Promise<readonly unknown[]>;
  /** Executes a statement that returns no rows, and returns how many it affected. */
  affected(text: string, ...values: (string | number)[]): Promise<number>;
}

/** How often a statement is sent that loses against others. Each time others have won, so more attempts would hardly ever be needed. */
const ATTEMPTS = 10;

function databaseOver({ query, timeout = DEFAULT_TIMEOUT_MS }: MysqlStoreOptions): Database {
  const run = async (text: string, values: (string | number)[]): Promise<unknown> => {
    const end = performance.now() + timeout;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await within(timeout, 'MySQL', () => query(text, values));
      } catch (error) {
        if (attempt === ATTEMPTS || performance.now() > end || !CONFLICTS.has(errnoOf(error))) throw error;
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 5 * attempt));
      }
    }
  };
  return {
    async rows(text, ...values) {
      const answer = await run(text, values);
      if (Array.isArray(answer) && !answer.some(Array.isArray)) return answer;
      throw new StoreError(
        'STORE_ANSWER',
        '`query` of mysqlStore did not return the rows of a query: return the first element of what mysql2 returns',
      );
    },
    async affected(text, ...values) {
      const count = field(await run(text, values), 'affectedRows');
      if (typeof count === 'number' || typeof count === 'bigint') return Number(count);
      throw new StoreError(
        'STORE_ANSWER',
        '`query` of mysqlStore did not return an object with `affectedRows`: return the first element of what mysql2 returns',
      );
    },
  };
}

/** The transaction was rolled back in favour of another: a deadlock, a lost certification in Galera, or a row that has changed since it was read. */
const CONFLICTS: ReadonlySet<unknown> = new Set([1213, 1020]);
const MISSING: ReadonlySet<unknown> = new Set([1146, 1054]);
const DENIED: ReadonlySet<unknown> = new Set([1142, 1143]);

/** The number of the server's error. */
const errnoOf = (error: unknown): unknown => causeWith(error, 'errno');

/**
 * Inserts the record, or replaces one that has expired. A live record with the same `rev` was written by this very call, whose statement was sent twice.
 * Between two statements others may delete or replace the record; then it starts again.
 */
async function addRecord(
  { rows, affected }: Database,
  sql: Statements,
  { key, end, now, rev }: WrittenRecord,
  json: string,
): Promise<boolean> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if ((await affected(sql.insert, key, json, end, rev)) === 1) return true;
    const [row] = await rows(sql.look, key);
    if (row === undefined) continue;
    if (Number(field(row, 'expires_at')) > now) return field(row, 'rev') === rev;
    if ((await affected(sql.renew, json, end, rev, key, now)) === 1) return true;
  }
  throw new StoreError('STORE_TIMEOUT', 'MySQL: other processes kept changing this record');
}

/** JSON in ASCII, which every connection and every table stores unchanged, whatever their character set. */
const toAscii = (value: object): string =>
  JSON.stringify(value).replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

async function migrateTables(database: Database, sql: Statements): Promise<void> {
  if ((await refusal(database, sql)) === undefined) return;
  for (const statement of sql.schema) await database.affected(statement);
}

/**
 * Verifies what the store cannot work without.
 *
 * @returns the settings of the server.
 */
async function checkServer(
  database: Database,
  sql: Statements,
  names: TableNames,
): Promise<ReadonlyMap<string, string>> {
  const { replica, incomplete, forbidden } = problems('mysqlStore', names);
  const settings = await settingsOf(database, sql);
  if ((settings.get('read_only') ?? 'OFF') !== 'OFF') throw mistake(replica, 'OQ115');
  if (settings.get('autocommit') === 'OFF') {
    throw mistake(
      'mysqlStore: autocommit is off, so nothing that is written would stay; switch it on for this pool',
      'OQ115',
    );
  }
  const refused = await refusal(database, sql);
  if (refused === undefined) return settings;
  throw mistake(DENIED.has(errnoOf(refused)) ? forbidden : incomplete, 'OQ115', refused);
}

/** The server's error if a table or a column is missing, or a right; MySQL does not tell a role without rights whether a table exists. */
async function refusal({ affected }: Database, { trials }: Statements): Promise<unknown> {
  for (const trial of trials) {
    try {
      await affected(trial);
    } catch (error) {
      if (MISSING.has(errnoOf(error)) || DENIED.has(errnoOf(error))) return error;
      throw error;
    }
  }
  return undefined;
}

async function settingsOf({ rows }: Database, { settings }: Statements): Promise<ReadonlyMap<string, string>> {
  const found = await rows(settings);
  return new Map(found.map((row) => [String(field(row, 'Variable_name')), String(field(row, 'Value')).toUpperCase()]));
}

/** The largest records are a few thousand bytes; a client's registration can be larger. */
const PACKET_BYTES = 1_048_576;
/** Reads, changes and insertions wait until this node has applied what others had confirmed. */
const SYNC_WAIT = 7;

function warnOfSettings(settings: ReadonlyMap<string, string>, connections: number, warn: OnWarning): void {
  const number = (name: string): number => Number(settings.get(name));
  warnOfConnections(
    { store: 'mysqlStore', connections, remedy: 'a proxy such as ProxySQL' },
    number('max_connections'),
    warn,
  );
  if (number('max_allowed_packet') < PACKET_BYTES) {
    warn(
      'mysqlStore: max_allowed_packet of this server is less than 1 MiB, so large records are rejected; raise it',
      'OQ504',
    );
  }
  if (settings.get('wsrep_on') === 'ON' && (number('wsrep_sync_wait') & SYNC_WAIT) !== SYNC_WAIT) {
    warn(
      'mysqlStore: this server belongs to a Galera cluster, and may answer before it has applied what another node has confirmed. ' +
        'If several nodes are used, set wsrep_sync_wait = 7 for the session; openStore does.',
      'OQ505',
    );
  }
}
