import { postgresStore, type PostgresStore } from 'oauth-query/stores/postgres';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { everyRow } from '../rows.js';
import { describeEngine } from './engines/availability.js';
import { expectRecovery, expectRefusal, freshKey, testServerFaults, TIMEOUT_MS } from './engines/fault-cases.js';
import { noPostgres, startPostgres, type PostgresServer } from './engines/postgres.js';

const LATER = () => Date.now() + 3_600_000;

describeEngine('failures of PostgreSQL', noPostgres, () => {
  let server: PostgresServer;
  let pool: pg.Pool;
  let store: PostgresStore;

  beforeAll(async () => {
    server = await startPostgres();
    pool = new pg.Pool({ connectionString: server.url, connectionTimeoutMillis: 1_000 });
    pool.on('error', () => undefined);
    store = postgresStore({ query: (text, values) => pool.query(text, values), timeout: TIMEOUT_MS });
    await vi.waitFor(() => store.migrate(), { timeout: 10_000 });
  });
  afterAll(async () => {
    await store?.close();
    await pool?.end();
    await server?.remove();
  });

  beforeEach(() => expectRecovery(store));

  testServerFaults(
    () => server,
    () => store,
  );

  test('errors: read-only, it rejects writes; writable again, it works', async () => {
    await pool.query('ALTER SYSTEM SET default_transaction_read_only = on');
    await pool.query('SELECT pg_reload_conf()');
    await expect
      .poll(() => store.add(freshKey(), {}, LATER()).catch((error: unknown) => String(error)))
      .toMatch(/read-only/);
    await expect(store.delete(freshKey())).rejects.toThrow(/read-only/);
    expect(await store.get(freshKey())).toBeUndefined();
    await pool.query('ALTER SYSTEM RESET default_transaction_read_only');
    await pool.query('SELECT pg_reload_conf()');
    await expect.poll(() => store.add(freshKey(), {}, LATER()).catch((error: unknown) => String(error))).toBe(true);
  });

  test('without its table every call rejects; after migrate it works', async () => {
    await pool.query('DROP TABLE oauth_records');
    await expectRefusal(store);
    await store.migrate();
    await expectRecovery(store);
  });

  test('many processes may migrate at once', async () => {
    const processes = Array.from({ length: 10 });
    await Promise.all(processes.map(() => pool.query('SELECT pg_sleep(0.05)'))); // each has its connection
    for (let round = 0; round < 10; round += 1) {
      await pool.query('DROP TABLE oauth_records');
      await Promise.all(processes.map(() => store.migrate()));
    }
    await expectRecovery(store);
  });

  test('a connection lost during a call is replaced', async () => {
    await pool.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = $1',
      ['client backend'],
    );
    await expectRecovery(store);
  });
});

describe('a PostgreSQL client with invalid results', () => {
  const answering = (rows: unknown) =>
    postgresStore({ query: () => Promise.resolve({ rows: rows as unknown[] }), clearEvery: false }); // nonsense on purpose

  const NONSENSE = expect.objectContaining({ code: 'STORE_ANSWER' });

  test('no method accepts what are no rows', () =>
    everyRow([undefined, null, 'rows', { length: 1 }], (rows) => expectRefusal(answering(rows))));

  test('getMany accepts no row for a missing record, and get only a record', async () => {
    await everyRow([[{ key: 'a' }], undefined], (rows) =>
      expect(answering(rows).getMany(['a'])).rejects.toEqual(NONSENSE),
    );
    await everyRow([[{}], ['row'], [{ value: 5 }], [{ value: '5' }]], (rows) =>
      expect(answering(rows).get('a')).rejects.toEqual(NONSENSE),
    );
  });
});

test('getMany is one statement, whose name stands for its text', async () => {
  const texts = new Map<string, Set<string>>();
  const store = postgresStore({
    clearEvery: false,
    query: async (text, values, name) => {
      expect(values).toHaveLength(text.match(/\$\d/g)?.length ?? 0);
      texts.set(name, (texts.get(name) ?? new Set()).add(text));
      return { rows: [] };
    },
  });
  await store.getMany(['a', 'b']);
  await store.getMany(['c', 'd', 'c']);
  await store.getMany(['a', 'b', 'c']);
  await store.getMany([]);
  expect([...texts.values()].map(({ size }) => size)).toEqual([1, 1]);
});

test.each(['records; DROP TABLE users', '"Records"', 'a.b.c', ''])('the table name %j is rejected', (table) => {
  expect(() => postgresStore({ query: () => Promise.resolve({ rows: [] }), table })).toThrow(/table must be a name/);
});
