import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { PGlite } from '@electric-sql/pglite';
import { openStore } from 'oauth-query/stores/open';
import { type PostgresQuery, postgresStore } from 'oauth-query/stores/postgres';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeEngine } from './engines/availability.js';
import { clearingCases } from './engines/clearing.js';
import { testContract } from './engines/contract.js';
import { noPostgres, startPostgres } from './engines/postgres.js';

/** The contract over a table of its own, which is emptied after each case. */
function contract(title: string, query: PostgresQuery, cases?: 'of drivers'): void {
  describe(title, () => {
    const table = `oauth_test_${randomUUID().replaceAll('-', '')}`;
    // Thousands of calls at once, on a machine that may be busy.
    const options = { query, table, clearEvery: false, timeout: 10_000 } as const;
    beforeAll(() => postgresStore(options).migrate());
    afterAll(() => query(`DROP TABLE IF EXISTS ${table}, ${table}_groups`, [], `${table}_drop`));
    testContract(
      () => ({
        open: (clock) => postgresStore({ ...options, clock }),
        remove: async () => {
          for (const each of [table, `${table}_groups`]) await query(`DELETE FROM ${each}`, [], `${each}_empty`);
        },
      }),
      cases,
    );
  });
}

describeEngine('PostgreSQL: the contract', process.env['DATABASE_URL'] ? undefined : noPostgres, () => {
  let remove: (() => Promise<void>) | undefined;
  let pool: pg.Pool;
  beforeAll(async () => {
    let url = process.env['DATABASE_URL'] ?? '';
    if (url === '') ({ url, remove } = await startPostgres());
    pool = new pg.Pool({ connectionString: url, max: 10 });
    pool.on('error', () => undefined);
  });
  afterAll(async () => {
    await pool?.end();
    await remove?.();
  });

  test('a lost connection is reported without the key that cancels its queries', async () => {
    const reported: unknown[] = [];
    const address = new URL(pool.options.connectionString!);
    address.searchParams.set('application_name', 'cut');
    const store = await openStore(address.href, { onError: (error) => reported.push(error) });
    try {
      await store.migrate();
      await pool.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'cut'");
      await expect.poll(() => inspect(reported)).toContain('terminating connection');
      expect(inspect(reported, { depth: null })).not.toMatch(/secretKey|processID/);
    } finally {
      await store.close();
    }
  });

  describe('clearing', () =>
    clearingCases(async (clock) => {
      const table = 'oauth_cleared';
      await pool.query(`DROP TABLE IF EXISTS ${table}, ${table}_groups`);
      const query: PostgresQuery = (text, values) => pool.query(text, values);
      const store = postgresStore({ query, table, clock, clearEvery: false });
      await store.migrate();
      return {
        store,
        keys: async () => (await pool.query(`SELECT key FROM ${table} ORDER BY key`)).rows.map(({ key }) => key),
      };
    }));

  contract('over a pg pool', (text, values) => pool.query(text, values));

  contract('over a driver that sends everything twice', async (text, values) => {
    await pool.query(text, values);
    return pool.query(text, values);
  });

  contract(
    'over statements prepared by name',
    (text, values, name) => pool.query({ name, text, values }),
    'of drivers',
  );

  // What a pooler in transaction mode may do: every statement meets another connection, and a session keeps nothing.
  contract(
    'over connections that forget everything',
    async (text, values) => {
      const client = await pool.connect();
      try {
        await client.query('DISCARD ALL');
        return await client.query(text, values);
      } finally {
        client.release();
      }
    },
    'of drivers',
  );
});

describe('PGlite', () => {
  let database: PGlite;
  beforeAll(async () => {
    database = await PGlite.create();
  });
  afterAll(() => database?.close());

  contract('the contract', (text, values) => database.query(text, values), 'of drivers');
});
