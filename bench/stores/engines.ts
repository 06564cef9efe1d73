import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
/** The stores as the benchmarks use them: each engine is started on 127.0.0.1 and removed afterwards. */
import Database from 'libsql';
import mysql from 'mysql2/promise';
import { instrumentedStore } from 'oauth-query/stores/instrument';
import { memoryStore } from 'oauth-query/stores/memory';
import { mysqlStore } from 'oauth-query/stores/mysql';
import { postgresStore } from 'oauth-query/stores/postgres';
import { redisStore } from 'oauth-query/stores/redis';
import { sqliteStore } from 'oauth-query/stores/sqlite';
import pg from 'pg';
import { createClient } from 'redis';
import type { Store } from '../../src/core/base/ports.js';
import { temporaryDirectory } from '../../test/stores/engines/daemon.js';
import { mariadbQuery, startMariadb } from '../../test/stores/engines/mariadb.js';
import { startPostgres } from '../../test/stores/engines/postgres.js';
import { command, startRedis } from '../../test/stores/engines/redis.js';
import type { EngineName } from './results.js';

export interface Engine {
  readonly store: Store;
  /** Commands sent to the database so far; for memory and SQLite, calls of the store. */
  commands(): number;
  /** Bytes of memory or disk in use. */
  size(): Promise<number> | number;
  /** Deletes up to this many expired records; absent if the engine does it by itself. */
  clearExpired?(size: number): Promise<number>;
  remove(): Promise<void> | void;
}

/** Makes records expire early: the clock of the SQL stores is this far ahead, in milliseconds. */
export interface TimeShift {
  ahead: number;
}

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const HOLD = 60_000;

function openMemory(): Engine {
  let calls = 0;
  const store = memoryStore({ max: 10_000_000 });
  return {
    store: instrumentedStore(store, () => (calls += 1)),
    commands: () => calls,
    async size() {
      for (let turn = 0; turn < 3; turn += 1) {
        // Objects read from weak references stay until the turn is over.
        await nextTurn();
        collectGarbage();
      }
      return process.memoryUsage().heapUsed;
    },
    remove: () => undefined,
  };
}

function openSqlite(time: TimeShift): Engine {
  const directory = temporaryDirectory();
  const file = join(directory, 'records.db');
  const store = sqliteStore({ file, clearEvery: false, clock: () => Date.now() + time.ahead });
  const second = new Database(file);
  let calls = 0;
  return {
    store: instrumentedStore(store, () => (calls += 1)),
    commands: () => calls,
    size() {
      second.pragma('wal_checkpoint(TRUNCATE)');
      return statSync(file).size;
    },
    clearExpired: (size) => store.clearExpired(size),
    async remove() {
      second.close();
      await store.close();
      rmSync(directory, { recursive: true });
    },
  };
}

async function openRedis(): Promise<Engine> {
  const server = await startRedis();
  const client = await createClient({ url: server.url }).connect();
  let commands = 0;
  const sendCommand = (args: string[]): Promise<unknown> => {
    commands += 1;
    return client.sendCommand(args);
  };
  const store = redisStore({ sendCommand, timeout: HOLD, watchPolicy: false });
  return {
    store,
    commands: () => commands,
    size: async () => Number(/used_memory:(\d+)/.exec(String(await command(server.url, 'INFO', 'memory')))?.[1]),
    async remove() {
      await store.close();
      client.destroy();
      await server.remove();
    },
  };
}

async function openPostgres(time: TimeShift): Promise<Engine> {
  const server = await startPostgres();
  const pool = new pg.Pool({ connectionString: server.url, max: 4 });
  let commands = 0;
  const store = postgresStore({
    query(text, values) {
      commands += 1;
      return pool.query(text, values);
    },
    timeout: HOLD,
    clearEvery: false,
    clock: () => Date.now() + time.ahead,
  });
  await store.migrate();
  const SIZE =
    "SELECT pg_total_relation_size('oauth_records') + pg_total_relation_size('oauth_records_groups') AS bytes";
  return {
    store,
    commands: () => commands,
    async size() {
      // What autovacuum does: the space of deleted rows is used again.
      await pool.query('VACUUM oauth_records, oauth_records_groups');
      return Number((await pool.query(SIZE)).rows[0].bytes);
    },
    clearExpired: (size) => store.clearExpired(size),
    async remove() {
      await store.close();
      await pool.end();
      await server.remove();
    },
  };
}

async function openMariadb(time: TimeShift): Promise<Engine> {
  const server = await startMariadb();
  const pool = mysql.createPool({ uri: server.url.replace('mariadb:', 'mysql:'), connectionLimit: 4 });
  let commands = 0;
  const store = mysqlStore({
    async query(text, values) {
      commands += 1;
      return (await pool.execute(text, values))[0];
    },
    timeout: HOLD,
    clearEvery: false,
    clock: () => Date.now() + time.ahead,
  });
  await store.migrate();
  return {
    store,
    commands: () => commands,
    async size() {
      // Otherwise the figures are those of the last time that the server counted them.
      await mariadbQuery(server, 'ANALYZE TABLE oauth_records, oauth_records_groups');
      const [row] = await mariadbQuery(
        server,
        "SELECT SUM(data_length + index_length) AS bytes FROM information_schema.tables WHERE table_schema = 'oauth'",
      );
      return Number(Reflect.get(Object(row), 'bytes'));
    },
    clearExpired: (size) => store.clearExpired(size),
    async remove() {
      await store.close();
      await pool.end();
      await server.remove();
    },
  };
}

export const openEngine: Readonly<Record<EngineName, (time: TimeShift) => Promise<Engine> | Engine>> = {
  memory: openMemory,
  SQLite: openSqlite,
  Redis: openRedis,
  PostgreSQL: openPostgres,
  MariaDB: openMariadb,
};
