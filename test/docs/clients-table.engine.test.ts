import { createRequire } from 'node:module';
import mysql2 from 'mysql2/promise';
import { Pool } from 'pg';
import { afterAll } from 'vitest';
import { describeEngine } from '../stores/engines/availability.js';
import { noMariadb, startMariadb } from '../stores/engines/mariadb.js';
import { noPostgres, startPostgres } from '../stores/engines/postgres.js';
import { clientsTableCases } from './clients-table-cases.js';

const require = createRequire(import.meta.url);

type Code = Readonly<Record<string, unknown>>;
type Opened = readonly [db: unknown, close: () => Promise<unknown>];

/** What the rows of each library are made from. */
const LIBRARIES: Readonly<Record<string, (pool: Pool, url: string, code: Code) => Opened | Promise<Opened>>> = {
  rowsOfPostgres: (pool) => [pool, () => pool.end()],
  rowsOfKnex(_pool, connection) {
    const db = require('knex')({ client: 'pg', connection });
    return [db, () => db.destroy()];
  },
  rowsOfKysely(pool) {
    const { Kysely, PostgresDialect } = require('kysely');
    return [new Kysely({ dialect: new PostgresDialect({ pool }) }), () => pool.end()];
  },
  rowsOfDrizzle: (pool) => [require('drizzle-orm/node-postgres').drizzle(pool), () => pool.end()],
  async rowsOfTypeorm(_pool, url, { ClientEntity }) {
    const { DataSource } = require('typeorm');
    const db = await new DataSource({ type: 'postgres', url, entities: [ClientEntity] }).initialize();
    return [db, () => db.destroy()];
  },
};

describeEngine('docs/clients-in-your-table.md on PostgreSQL', noPostgres, () => {
  const server = startPostgres();
  afterAll(async () => (await server).remove());
  for (const [rowsOf, connect] of Object.entries(LIBRARIES)) {
    describeEngine(rowsOf, undefined, () => {
      clientsTableCases(rowsOf, async (code) => {
        const { url } = await server;
        const [db, close] = await connect(new Pool({ connectionString: url }), url, code);
        const admin = new Pool({ connectionString: url });
        return { db, run: (sql) => admin.query(sql), close: () => Promise.all([admin.end(), close()]) };
      });
    });
  }
});

describeEngine('docs/clients-in-your-table.md on MariaDB', noMariadb, () => {
  clientsTableCases('rowsOfMysql', async () => {
    const { url, remove } = await startMariadb();
    const db = mysql2.createPool(url.replace('mariadb:', 'mysql:'));
    return { db, run: (sql) => db.query(sql), close: () => db.end().then(remove) };
  });
});
