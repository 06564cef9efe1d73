import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Pool } from 'pg';
import { afterAll, beforeAll, test } from 'vitest';
import type { Clock, Store } from 'oauth-query/store';
import { storeContract } from 'oauth-query/testing';
import { describeEngine } from '../stores/engines/availability.js';
import { noPostgres, type PostgresServer, startPostgres } from '../stores/engines/postgres.js';
import { ROOT, DOCUMENTS } from './documents.js';

const require = createRequire(import.meta.url);

/** How each library connects. Their packages are looked up by name, because they are only needed here. */
const LIBRARIES: Readonly<Record<string, (pool: Pool, url: string) => { db: unknown; close(): unknown }>> = {
  knex(_pool, url) {
    const db = require('knex')({ client: 'pg', connection: url, pool: { min: 0, max: 4 } });
    return { db, close: () => db.destroy() };
  },
  kysely(pool) {
    const { Kysely, PostgresDialect } = require('kysely');
    return { db: new Kysely({ dialect: new PostgresDialect({ pool }) }), close: () => undefined };
  },
  'drizzle-orm': (pool) => ({ db: require('drizzle-orm/node-postgres').drizzle(pool), close: () => undefined }),
};

const guide = DOCUMENTS.find(({ path }) => path === 'docs/stores.md');
const blocksWith = (text: string): string[] =>
  (guide?.blocks ?? []).map(({ code }) => code).filter((code) => code.includes(text));

const missing = (name: string): string | undefined => {
  try {
    require.resolve(name);
    return noPostgres;
  } catch {
    return `the package ${name} is not installed`;
  }
};

for (const [name, connect] of Object.entries(LIBRARIES)) {
  describeEngine(`docs/stores.md with ${name}`, missing(name), () => {
    let server: PostgresServer;
    let pool: Pool;
    let library: ReturnType<typeof connect>;
    let storeOver: (db: unknown, clock: Clock) => Store;
    let folder: string;
    beforeAll(async () => {
      server = await startPostgres();
      pool = new Pool({ connectionString: server.url, max: 4 });
      await pool.query(blocksWith('CREATE TABLE oauth_records')[0] ?? '');
      library = connect(pool, server.url);
      mkdirSync(join(ROOT, '.data'), { recursive: true });
      folder = mkdtempSync(join(ROOT, '.data', 'stores-'));
      const file = join(folder, 'store.ts');
      writeFileSync(file, blocksWith(`from '${name}'`)[0] ?? '');
      ({ storeOver } = await import(file));
    });
    afterAll(async () => {
      await library?.close();
      await pool?.end();
      await server?.remove();
      rmSync(folder, { recursive: true, force: true });
    });

    for (const { name: title, run } of storeContract(() => ({
      open: (clock) => storeOver(library.db, clock),
      remove: async () => void (await pool.query('TRUNCATE oauth_records')),
    })))
      test(title, run);
  });
}
