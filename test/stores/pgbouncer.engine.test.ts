import { type OpenedStore, openStore, type OpenStoreOptions } from 'oauth-query/stores/open';
import { postgresStore } from 'oauth-query/stores/postgres';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { describeEngine } from './engines/availability.js';
import { testContract } from './engines/contract.js';
import { freshKey } from './engines/fault-cases.js';
import { noPgBouncer, startPgBouncer } from './engines/pgbouncer.js';
import { noPostgres, startPostgres, type PostgresServer } from './engines/postgres.js';

const LATER = () => Date.now() + 3_600_000;
const onError = (): void => undefined;

describeEngine('PgBouncer in transaction mode', noPgBouncer, () => {
  let server: PostgresServer;
  let bouncer: Awaited<ReturnType<typeof startPgBouncer>>;
  let admin: pg.Pool;
  beforeAll(async () => {
    server = await startPostgres();
    bouncer = await startPgBouncer(server.port);
    admin = new pg.Pool({ connectionString: server.url });
  });
  afterAll(async () => {
    await admin?.end();
    await bouncer?.remove();
    await server?.remove();
  });

  describe('the contract', () => {
    const options = { table: 'contract', timeout: 10_000, onError };
    beforeAll(async () => {
      const store = await openStore(bouncer.url, options);
      await store.migrate();
      await store.close();
    });
    testContract(
      () => ({
        open: (clock) => openStore(bouncer.url, { ...options, clock }),
        remove: async () => void (await admin.query('TRUNCATE contract, contract_groups')),
      }),
      'of drivers',
    );
  });

  test('twenty processes with four connections each use the two of PgBouncer', async () => {
    const stores = await Promise.all(
      Array.from({ length: 20 }, () => openStore(bouncer.url, { timeout: 10_000, onError })),
    );
    await Promise.all(stores.map((store) => store.migrate()));
    const key = freshKey();
    const wins = await Promise.all(stores.flatMap((store) => [1, 2, 3, 4].map(() => store.add(key, {}, LATER()))));
    expect(wins.filter(Boolean)).toHaveLength(1);
    await Promise.all(stores.map((store) => store.close()));
  });

  test('it rejects the statement_timeout of a pool, so no setting here belongs to the session', async () => {
    const pool = new pg.Pool({ connectionString: bouncer.url, statement_timeout: 2_000 });
    await expect(pool.query('SELECT 1')).rejects.toThrow(/unsupported startup parameter/);
    await pool.end();
  });
});

describeEngine('a PostgreSQL with a separate administrator', noPostgres, () => {
  let server: PostgresServer;
  let admin: pg.Pool;
  const opened: OpenedStore[] = [];
  const open = async (url: string, options: OpenStoreOptions = {}): Promise<OpenedStore> => {
    const store = await openStore(url, { onError, ...options });
    opened.push(store);
    return store;
  };
  beforeAll(async () => {
    server = await startPostgres();
    admin = new pg.Pool({ connectionString: server.url });
    await admin.query('REVOKE CREATE ON SCHEMA public FROM PUBLIC');
    await admin.query('CREATE ROLE app LOGIN');
  });
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close();
    await admin.query('DROP TABLE IF EXISTS oauth_records, oauth_records_groups');
  });
  afterAll(async () => {
    await admin?.end();
    await server?.remove();
  });
  const asApp = (): string => server.url.replace('postgres@', 'app@');
  const grant = (table: string): Promise<unknown> =>
    admin.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ${table} TO app`);

  test('a role without the right to create uses an existing table, and migrate changes nothing', async () => {
    const store = await open(asApp());
    await expect(store.migrate()).rejects.toThrow(/permission denied/);
    await expect(store.get('a'), 'what requests log').rejects.toMatchObject({
      message: expect.stringContaining('call migrate()'),
      cause: { code: '42P01' },
    });
    await expect(store.check()).rejects.toThrow(
      /oauth_records or oauth_records_groups is missing or incomplete; call migrate/,
    );
    await (await open(server.url)).migrate();
    await expect(store.check()).rejects.toThrow(/needs SELECT, INSERT, UPDATE and DELETE/);
    await grant('oauth_records');
    await expect(store.check()).rejects.toThrow(
      /needs SELECT, INSERT, UPDATE and DELETE on .* and oauth_records_groups/,
    );
    await grant('oauth_records_groups');
    await store.migrate();
    await store.check();
    const clearing = postgresStore({
      query: (text, values) => admin.query(text, values),
      clearEvery: false,
      clock: () => Date.now() + 86_400_000,
    });
    const key = freshKey();
    expect(await store.add(key, { is: 'first' }, LATER())).toBe(true);
    expect(await store.add(key, {}, LATER())).toBe(false);
    expect(await store.getMany([key])).toEqual([{ is: 'first' }]);
    await store.delete(key);
    expect(await store.add(key, {}, LATER(), ['group'])).toBe(true);
    expect(await store.list('group', { limit: 10 })).toEqual({ keys: [key] });
    expect(await clearing.clearExpired(10)).toBe(2);
  });

  test('migrate while VACUUM holds the table: neither waits for the other', async () => {
    const store = await open(server.url);
    await store.migrate();
    const vacuum = await admin.connect();
    await vacuum.query('BEGIN');
    await vacuum.query('LOCK TABLE oauth_records IN SHARE UPDATE EXCLUSIVE MODE'); // what VACUUM takes
    await store.migrate();
    expect(await store.add(freshKey(), {}, LATER())).toBe(true);
    await vacuum.query('ROLLBACK');
    vacuum.release();
  });

  test('migrate with something missing gives up a lock after a second, and works when it is free', async () => {
    const store = await open(server.url, { timeout: 10_000 });
    await store.migrate();
    await admin.query('DROP INDEX oauth_records_by_expiry');
    const other = await admin.connect();
    await other.query('BEGIN');
    await other.query('LOCK TABLE oauth_records IN SHARE UPDATE EXCLUSIVE MODE');
    await expect(store.check()).rejects.toThrow(/incomplete/);
    await expect(store.migrate()).rejects.toThrow(/lock timeout/);
    await other.query('ROLLBACK');
    other.release();
    await store.migrate();
    await store.check();
  });

  test('migrate adds the column that a table of 0.1.0 lacks, and the second table', async () => {
    await admin.query(
      'CREATE TABLE oauth_records (key text COLLATE "C" PRIMARY KEY, value text NOT NULL, expires_at bigint NOT NULL)',
    );
    const store = await open(server.url);
    await expect(store.check()).rejects.toThrow(/incomplete/);
    await store.migrate();
    await store.check();
    expect(await store.add(freshKey(), {}, LATER(), ['group'])).toBe(true);
    await admin.query('DROP INDEX oauth_records_groups_by_expiry');
    await expect(store.check()).rejects.toThrow(/incomplete/);
  });

  test('check reports if all processes together would open more connections than the server allows', async () => {
    const onWarning = vi.fn();
    const store = await open(server.url, { connections: 10, processes: 20, onWarning });
    await store.migrate();
    await store.check();
    expect(onWarning.mock.calls).toEqual([
      [expect.stringMatching(/may open 200 connections, and this server allows 97\./), 'OQ503'],
    ]);
    await (await open(server.url, { processes: 20, onWarning })).check();
    expect(onWarning).toHaveBeenCalledTimes(1);
  });
});
