import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import mysql2Callbacks from 'mysql2';
import mysql2 from 'mysql2/promise';
import { type MysqlStoreOptions, mysqlStore } from 'oauth-query/stores/mysql';
import { type PostgresStoreOptions, postgresStore } from 'oauth-query/stores/postgres';
import { Pool } from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { describeEngine } from '../stores/engines/availability.js';
import { testContract } from '../stores/engines/contract.js';
import { noMariadb, startMariadb } from '../stores/engines/mariadb.js';
import { noPostgres, startPostgres } from '../stores/engines/postgres.js';
import { ROOT } from './documents.js';
import { moduleOf } from './guide.js';

const require = createRequire(import.meta.url);

type Opened = { readonly db: unknown; close(): unknown };
type Engine = 'pg' | 'mysql2';
type Query = PostgresStoreOptions['query'] & MysqlStoreOptions['query'];
type Guide = Readonly<Record<'onPostgres' | 'onMysql', (db: unknown) => { readonly query: Query }>>;

/** How each library connects. Their packages are looked up by name, because they are only needed here. */
const LIBRARIES: Readonly<Record<string, (engine: Engine, url: string) => Promise<Opened> | Opened>> = {
  knex(client, connection) {
    const db = require('knex')({ client, connection, pool: { min: 0, max: 4 } });
    return { db, close: () => db.destroy() };
  },
  kysely(engine, url) {
    const { Kysely, MysqlDialect, PostgresDialect } = require('kysely');
    const dialect =
      engine === 'pg'
        ? new PostgresDialect({ pool: new Pool({ connectionString: url, max: 4 }) })
        : new MysqlDialect({ pool: mysql2Callbacks.createPool({ uri: url, connectionLimit: 4 }) });
    const db = new Kysely({ dialect });
    return { db, close: () => db.destroy() };
  },
  'drizzle-orm'(engine, url) {
    const pool =
      engine === 'pg'
        ? new Pool({ connectionString: url, max: 4 })
        : mysql2.createPool({ uri: url, connectionLimit: 4 });
    const { drizzle } = require(engine === 'pg' ? 'drizzle-orm/node-postgres' : 'drizzle-orm/mysql2');
    return { db: drizzle(pool), close: () => pool.end() };
  },
  async typeorm(engine, url) {
    const { DataSource } = require('typeorm');
    const db = await new DataSource({ type: engine === 'pg' ? 'postgres' : 'mysql', url }).initialize();
    return { db, close: () => db.destroy() };
  },
};

const missing = (name: string): string | undefined => {
  try {
    require.resolve(name);
    return undefined;
  } catch {
    return `the package ${name} is not installed`;
  }
};

type Server = Awaited<ReturnType<typeof startPostgres | typeof startMariadb>>;
const servers = new Map<Engine, Promise<Server>>();
/** One for all libraries. */
function serverOf(engine: Engine): Promise<Server> {
  const server = servers.get(engine) ?? (engine === 'pg' ? startPostgres() : startMariadb());
  servers.set(engine, server);
  return server;
}
afterAll(async () => {
  for (const server of servers.values()) await (await server).remove();
});

for (const [name, connect] of Object.entries(LIBRARIES)) {
  for (const engine of ['pg', 'mysql2'] as const) {
    const noEngine = engine === 'pg' ? noPostgres : noMariadb;
    describeEngine(`examples/stores with ${name} on ${engine}`, missing(name) ?? noEngine, () => {
      let opened: Opened;
      let query: Query;
      beforeAll(async () => {
        opened = await connect(engine, (await serverOf(engine)).url.replace('mariadb:', 'mysql:'));
        // The stores of the example without a clock; here only their function is wanted.
        const code = readFileSync(join(ROOT, 'examples/stores', `${name.replace('-orm', '')}.ts`), 'utf8');
        const { onPostgres, onMysql } = await moduleOf<Guide>(code.replaceAll(/(postgresStore|mysqlStore)\(\{/g, '({'));
        ({ query } = (engine === 'pg' ? onPostgres : onMysql)(opened.db));
        await open().migrate();
      });
      afterAll(() => opened?.close());
      const open = (clock = Date.now) => {
        const options = { query, clock, clearEvery: false, timeout: 10_000 } as const;
        return engine === 'pg' ? postgresStore(options) : mysqlStore(options);
      };
      const empty = async (): Promise<void> => {
        for (const table of ['oauth_records', 'oauth_records_groups']) await query(`DELETE FROM ${table}`, [], table);
      };

      testContract(() => ({ open, remove: empty }), 'of drivers');
    });
  }
}
