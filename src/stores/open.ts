/**
 * Opens a store by its URL: finds the installed driver and configures it.
 *
 * @module oauth-query/stores/open
 */

import { atCaller, type WarningCode } from '../core/base/mistakes.js';
import { oneLineProblem } from '../core/base/one-line.js';
import type { Clock, Store } from '../core/base/ports.js';
import { importPackage } from '../peers/load.js';
import { countedCalls } from './closing.js';
import { parseRedisAddress, type RedisAddress, wrong } from './drivers/address.js';
import { type PoolSettings, seldom } from './drivers/connection.js';
import { connectIoredis } from './drivers/ioredis.js';
import { loadDriver } from './drivers/load.js';
import { type MysqlAddress, parseMysqlAddress } from './drivers/mysql-address.js';
import { connectMariadb, connectMysql2 } from './drivers/mysql.js';
import { connectNodeRedis } from './drivers/node-redis.js';
import { checkPostgresUrl, connectPg } from './drivers/pg.js';
import { rejectUnreachable } from './drivers/unreachable.js';
import { memoryStore } from './memory.js';
import { mysqlStore } from './mysql.js';
import { postgresStore } from './postgres.js';
import { storeOver } from './redis-store.js';
import type { MigrateOptions, SqlStore, SqlStoreOptions } from './sql-store.js';
import { sqliteStore } from './sqlite.js';
import { DEFAULT_TIMEOUT_MS, within } from './within.js';

/** Options of `openStore`, all optional. */
export interface OpenStoreOptions {
  /** Milliseconds for establishing a connection, and for each call, before the call rejects. Default: 2,000. */
  readonly timeout?: number | undefined;
  /** Driver. Default for Redis: node-redis (`redis`) if installed, otherwise `ioredis`; for MariaDB and MySQL: the one that the URL is named after, otherwise the other. */
  readonly driver?: 'redis' | 'ioredis' | 'mysql2' | 'mariadb' | undefined;
  /** Redis: prefix of every key, by default `oauth:`. */
  readonly prefix?: string | undefined;
  /** SQL servers: name of the table, by default `oauth_records`. */
  readonly table?: string | undefined;
  /** SQL servers: maximum number of connections of this process, by default 4. A connection answers one call at a time, in about a millisecond. */
  readonly connections?: number | undefined;
  /** SQL servers: number of processes that use this database, by default 1. `check` warns if they need more connections than it allows. */
  readonly processes?: number | undefined;
  /** Called with errors of connections (which are re-established), of clearing, and of Redis's policy. Default: `console.error`. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Called with a sentence about a setting to change. Default: `console.warn`. */
  readonly onWarning?: ((message: string, code: WarningCode) => void) | undefined;
  /** Returns milliseconds since the epoch; default: `Date.now`. */
  readonly clock?: Clock | undefined;
}

/** A store with its connections. */
export interface OpenedStore extends Required<Store> {
  /** Rejects with an explanation if the store cannot be used: unreachable, without its table, or configured to remove live records. */
  check(): Promise<void>;
  /** Creates what is missing: tables and indexes in SQL servers, nothing in other stores. With `print`, it prints the SQL and executes nothing. */
  migrate(options?: MigrateOptions): Promise<void>;
  /** Closes the connections. Calls in progress may reject. */
  close(): Promise<void>;
}

/**
 * Opens the store with a URL:
 *
 * | URL                                                              | Store                                                        |
 * | ---------------------------------------------------------------- | ------------------------------------------------------------ |
 * | `memory:`                                                        | the memory of this process                                   |
 * | `sqlite:oauth.db`                                                | a file, with `node:sqlite`, `better-sqlite3` or `libsql`     |
 * | `redis://user:password@host:6379/0`                              | Redis, with the package `redis` or `ioredis`                 |
 * | `redis+cluster://host1:6379,host2:6379`                          | a Redis Cluster                                              |
 * | `redis+sentinel://host1:26379,host2:26379/mymaster`              | the master named by Sentinel                                 |
 * | `rediss://…`, `rediss+cluster://…`, `rediss+sentinel://…`        | the same over TLS                                            |
 * | `postgres://user:password@host:5432/database`                    | PostgreSQL, with the package `pg`; also through PgBouncer    |
 * | `mysql://user:password@host:3306/database`, `mariadb://…`        | MySQL or MariaDB, with the package `mysql2` or `mariadb`     |
 * | `mariadb://user:password@host1:3306,host2:3306/database`         | a Galera cluster, one node at a time                         |
 *
 * ```ts
 * import { openStore } from 'oauth-query/stores/open';
 *
 * const store = await openStore(process.env.STORE_URL ?? 'memory:');
 * await store.migrate();
 * await store.check();
 * ```
 *
 * Commands are not queued while the server is unreachable, and never sent twice. A connection that no longer answers is replaced.
 * An unreachable server is not an error here: calls reject until it is back. `check` reports the reason.
 *
 * @throws TypeError if the URL is not one of these, or no driver is installed; passwords are never quoted. Error if a file cannot be opened.
 */
export async function openStore(url: string, options: OpenStoreOptions = {}): Promise<OpenedStore> {
  try {
    return await openerOf(url)(options);
  } catch (error) {
    throw atCaller(error, openStore);
  }
}

/** Which store the URL names. Nothing is opened yet, so a mistake in the URL is thrown at the caller. */
function openerOf(url: string): (options: OpenStoreOptions) => OpenedStore | Promise<OpenedStore> {
  if (!url) throw wrong('the URL is missing. Is the environment variable set?');
  const problem = oneLineProblem(url);
  if (problem !== undefined) throw wrong(`the URL ${problem}`);
  const scheme = /^([a-z+]+):/.exec(url)?.[1] ?? '';
  if (scheme === 'memory') return openMemory;
  if (scheme === 'sqlite') {
    const file = url.slice('sqlite:'.length);
    if (file === '') throw wrong('sqlite: needs a file, for example sqlite:oauth.db');
    const [, path] = /^\/\/([^/].*)$/.exec(file) ?? [];
    if (path !== undefined)
      throw wrong(
        `sqlite://${path} is a file in the root of the disk. Write sqlite:${path} for a file in the working directory, or sqlite:/${path}`,
      );
    return (options) => openSqlite(file, options);
  }
  if (/^rediss?(\+cluster|\+sentinel)?$/.test(scheme)) {
    const address = parseRedisAddress(url);
    return (options) => openRedis(address, options);
  }
  if (/^postgres(ql)?$/.test(scheme)) {
    checkPostgresUrl(url);
    return (options) => openPostgres(url, options);
  }
  if (scheme === 'mysql' || scheme === 'mariadb') {
    const address = parseMysqlAddress(url);
    return (options) => openMysql(scheme, address, options);
  }
  throw wrong(
    'the URL must be memory:, sqlite:<file>, redis://…, redis+cluster://…, redis+sentinel://…, postgres://…, mysql://… or mariadb://…' +
      (scheme === '' ? '' : `, not ${scheme}:…`),
  );
}

const nothing = async (): Promise<void> => undefined;

function openMemory({ clock = Date.now }: OpenStoreOptions): OpenedStore {
  const { add, swap, get, getMany, list, delete: remove } = memoryStore({ clock });
  return { add, swap, get, getMany, list, delete: remove, check: nothing, migrate: nothing, close: nothing };
}

function openSqlite(file: string, options: OpenStoreOptions): OpenedStore {
  const { timeout = DEFAULT_TIMEOUT_MS, clock = Date.now, onError = console.error, onWarning } = options;
  const store = sqliteStore({ file, busyTimeout: timeout, clock, onWarning, onClearError: onError });
  return { ...store, check: async () => void (await store.get('check')), migrate: nothing };
}

/** Codes of errors of `check` that Redis caused by answering. */
const ANSWERED: readonly unknown[] = ['STORE_EVICTS', 'STORE_ANSWER', 'OQ115'];

async function openRedis(address: RedisAddress, options: OpenStoreOptions): Promise<OpenedStore> {
  const { timeout = DEFAULT_TIMEOUT_MS, driver, prefix = 'oauth:', clock = Date.now } = options;
  const { onError = console.error } = options;
  const loaders = [
    { name: 'redis', load: () => importPackage('redis') as Promise<typeof import('redis')> },
    { name: 'ioredis', load: () => importPackage('ioredis') as Promise<typeof import('ioredis')> },
  ] as const;
  const loaded = await loadDriver('Redis', loaders, driver);
  let lastError: unknown;
  const report = seldom(onError);
  const connecting = {
    address,
    timeout,
    onError: (error: unknown) => {
      lastError = error;
      report(error);
    },
  };
  const connection =
    loaded.name === 'redis' ? connectNodeRedis(loaded.driver, connecting) : connectIoredis(loaded.driver, connecting);
  const store = storeOver(connection.client, { prefix, timeout, clock, onError });
  await within(timeout, 'Redis', () => connection.connected).catch(() => undefined);
  const { calls, settled } = countedCalls(store);
  return {
    ...calls,
    async check() {
      await store.check().catch(async (error: unknown) => {
        // Redis answered: no connection has to be looked for.
        if (error instanceof Error && 'code' in error && ANSWERED.includes(error.code)) throw error;
        // The client only reports that it is disconnected; the error of its connection says more.
        return rejectUnreachable(lastError ?? error, address.hosts, timeout);
      });
    },
    migrate: nothing,
    async close() {
      await store.close();
      await settled();
      connection.close();
    },
  };
}

async function openPostgres(url: string, options: OpenStoreOptions): Promise<OpenedStore> {
  const { driver } = await loadDriver('postgres:', [
    { name: 'pg', load: () => importPackage('pg') as Promise<typeof import('pg')> },
  ]);
  return overPool(options, (pool) => {
    const { query, close } = connectPg(driver.default, { url, ...pool });
    return { close, storeWith: (common) => postgresStore({ query, ...common }) };
  });
}

async function openMysql(
  scheme: 'mysql' | 'mariadb',
  address: MysqlAddress,
  options: OpenStoreOptions,
): Promise<OpenedStore> {
  const { driver, timeout = DEFAULT_TIMEOUT_MS } = options;
  const loaders = [
    { name: 'mysql2', load: () => importPackage('mysql2/promise') as Promise<typeof import('mysql2/promise')> },
    { name: 'mariadb', load: () => importPackage('mariadb') as Promise<typeof import('mariadb')> },
  ] as const;
  const loaded = await loadDriver(`${scheme}:`, scheme === 'mysql' ? loaders : loaders.toReversed(), driver);
  return overPool(options, (pool) => {
    const settings = { address, ...pool };
    const { query, close } =
      loaded.name === 'mysql2' ? connectMysql2(loaded.driver, settings) : connectMariadb(loaded.driver, settings);
    return {
      close,
      storeWith(common) {
        const store = mysqlStore({ query, ...common });
        const explain = (error: unknown): Promise<never> => rejectUnreachable(error, address.hosts, timeout);
        return { ...store, check: () => store.check().catch(explain) };
      },
    };
  });
}

/** A store in an SQL server, over a pool of its own. */
function overPool(
  options: OpenStoreOptions,
  connect: (pool: PoolSettings) => { close(): Promise<void>; storeWith(common: SqlStoreOptions): SqlStore },
): OpenedStore {
  const { timeout = DEFAULT_TIMEOUT_MS, table = 'oauth_records', clock = Date.now } = options;
  const { connections = 4, processes = 1, onError = console.error, onWarning } = options;
  const { close, storeWith } = connect({ timeout, connections, onError: seldom(onError) });
  const store = storeWith({
    table,
    timeout,
    clock,
    connections: connections * processes,
    onWarning,
    onClearError: onError,
  });
  const { calls, settled } = countedCalls(store);
  return {
    ...store,
    ...calls,
    async close() {
      await store.close();
      await settled();
      await close();
    },
  };
}
