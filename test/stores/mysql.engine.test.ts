import * as mariadb from 'mariadb';
import mysql2 from 'mysql2/promise';
import { type MysqlQuery, mysqlStore } from 'oauth-query/stores/mysql';
import { openStore } from 'oauth-query/stores/open';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Clock, Store } from '../../src/core/base/ports.js';
import { describeEngine } from './engines/availability.js';
import { testContract } from './engines/contract.js';
import { expectRecovery, freshKey, testServerFaults, TIMEOUT_MS } from './engines/fault-cases.js';
import { type MariadbServer, mariadbQuery, noMariadb, startMariadb } from './engines/mariadb.js';

const LATER = () => Date.now() + 3_600_000;
const MINUTE = 60_000;
const DRIVERS = ['mysql2', 'mariadb'] as const;
const onError = (): void => undefined;

describeEngine('MariaDB', noMariadb, () => {
  let server: MariadbServer;
  let counting: mysql2.Pool;
  beforeAll(async () => {
    server = await startMariadb();
    // It counts rows changed in place of rows found, its character set lacks most characters, and its session has another time zone.
    const { port } = server;
    const account = { host: '127.0.0.1', port, user: 'app', password: 'password', database: 'oauth' };
    counting = mysql2.createPool({ ...account, connectionLimit: 10, flags: ['-FOUND_ROWS'], charset: 'latin1' });
    counting.pool.on('connection', (connection) => {
      connection.query(
        "SET SESSION time_zone = '-09:30', SESSION sql_mode = 'NO_BACKSLASH_ESCAPES,ANSI_QUOTES'",
        onError,
      );
    });
  });
  afterAll(async () => {
    await counting?.end();
    await server?.remove();
  });
  const count: MysqlQuery = async (text, values) => (await counting.execute(text, values))[0];
  const admin = (text: string): Promise<readonly unknown[]> => mariadbQuery(server, text);

  /** A new table for each case would take longer than the cases. */
  function contract(title: string, open: (table: string, clock?: Clock) => Promise<Store>, cases?: 'of drivers'): void {
    describe(title, () => {
      const table = `t_${title.replaceAll(/\W+/g, '_').toLowerCase()}`.slice(0, 50);
      beforeAll(() => mysqlStore({ query: count, table, clearEvery: false, timeout: 10_000 }).migrate());
      testContract(
        () => ({
          open: (clock) => open(table, clock),
          remove: async () => {
            for (const each of [table, `${table}_groups`]) await admin(`DELETE FROM ${each}`);
          },
        }),
        cases,
      );
    });
  }
  // Thousands of calls at once, on a machine that may be busy.
  const timeout = 10_000;

  for (const driver of DRIVERS) {
    contract(
      `the contract with openStore and ${driver}`,
      (table, clock) => openStore(server.url, { driver, table, timeout, ...(clock && { clock }) }),
      driver === 'mysql2' ? 'of drivers' : undefined,
    );
  }
  contract(
    'the contract over a pool with other settings',
    async (table, clock) => mysqlStore({ query: count, table, timeout, clearEvery: false, ...(clock && { clock }) }),
    'of drivers',
  );
  contract('the contract over a driver that sends everything twice', async (table, clock) => {
    const query: MysqlQuery = async (text, values) => {
      await count(text, values);
      return count(text, values);
    };
    return mysqlStore({ query, table, timeout, clearEvery: false, ...(clock && { clock }) });
  });

  describe.each(DRIVERS)('openStore with %s', (driver) => {
    const open = (url = server.url, more = {}) => openStore(url, { driver, onError, ...more });

    test('migrate prints its SQL, which a role that may create executes; then a role that may only use the tables works', async () => {
      const table = `printed_${driver}`;
      const app = await open(server.url, { table });
      await expect(app.check()).rejects.toThrow(`${table} or ${table}_groups is missing or incomplete; call migrate()`);
      const printed: string[] = [];
      await app.migrate({ print: (sql) => printed.push(sql) });
      await expect(app.check(), 'nothing was executed').rejects.toThrow('missing');
      for (const sql of printed) await admin(sql);
      await app.check();
      await app.close();

      await admin(`CREATE OR REPLACE USER least_${driver}@'127.0.0.1' IDENTIFIED BY 'p/w:@'`);
      const url = `mysql://least_${driver}:p%2Fw%3A%40@127.0.0.1:${server.port}/oauth`;
      for (const [index, each] of [table, `${table}_groups`].entries()) {
        await admin(`GRANT SELECT, INSERT, UPDATE ON ${each} TO least_${driver}@'127.0.0.1'`);
        const least = await open(url, { table });
        await expect(least.check()).rejects.toThrow('needs SELECT, INSERT, UPDATE and DELETE');
        await least.close();
        if (index === 1)
          for (const one of [table, each]) await admin(`GRANT DELETE ON ${one} TO least_${driver}@'127.0.0.1'`);
      }
      const least = await open(url, { table });
      await least.migrate();
      await least.check();
      expect(await least.add('a', { is: 'written' }, LATER(), ['g'])).toBe(true);
      expect(await least.list('g', { limit: 10 })).toEqual({ keys: ['a'] });
      await least.close();
    });

    test('twenty processes migrate at once', async () => {
      const stores = await Promise.all(
        Array.from({ length: 20 }, () => open(server.url, { table: `at_once_${driver}`, timeout: 10_000 })),
      );
      await Promise.all(stores.map((store) => store.migrate()));
      const wins = await Promise.all(stores.map((store) => store.add('a', {}, LATER())));
      expect(wins.filter(Boolean)).toHaveLength(1);
      await Promise.all(stores.map((store) => store.close()));
    });

    test('check rejects a read-only server, and warns of too few connections and small packets', async () => {
      const warnings: string[] = [];
      const store = await open(server.url, {
        connections: 101,
        processes: 4,
        onWarning: (message: string) => warnings.push(message),
      });
      await store.migrate();
      await admin('SET GLOBAL read_only = ON');
      await expect(store.check()).rejects.toThrow('read-only');
      await admin('SET GLOBAL read_only = OFF');
      await store.check();
      expect(warnings).toEqual([expect.stringMatching(/may open 404 connections, and this server allows 400/)]);
      await store.close();
    });

    test('a wrong password is reported without the password', async () => {
      const store = await open(`mariadb://app:secret-word@127.0.0.1:${server.port}/oauth`);
      const error = await store.check().catch((cause: unknown) => cause);
      expect(String(error)).toMatch(/Access denied/);
      expect(String(error)).not.toContain('secret-word');
      await store.close();
    });
  });

  test('a pool without autocommit is rejected', async () => {
    const { port } = server;
    const pool = mariadb.createPool({
      host: '127.0.0.1',
      port,
      user: 'app',
      password: 'password',
      database: 'oauth',
      initSql: 'SET autocommit = 0',
      connectionLimit: 1,
    });
    const store = mysqlStore({ query: (text, values) => pool.execute(text, values), clearEvery: false });
    await expect(store.check()).rejects.toThrow('autocommit is off');
    await pool.end();
  });

  test('expired records are cleared in batches, two minutes after they expired, also by several processes at once', async () => {
    let now = Date.now();
    const options = { query: count, table: 'cleared', clearEvery: false, clock: () => now, timeout } as const;
    const stores = [mysqlStore(options), mysqlStore(options), mysqlStore(options)] as const;
    await stores[0].migrate();
    await Promise.all(Array.from({ length: 250 }, (_, at) => stores[0].add(`k:${at}`, {}, now + MINUTE, ['g'])));
    await stores[0].add('live', {}, now + 60 * MINUTE);
    now += 3 * MINUTE - 1;
    expect(await stores[0].clearExpired(1_000)).toBe(0);
    now += 1;
    expect(await stores[0].clearExpired(100)).toBe(200);
    const cleared = await Promise.all(stores.map((store) => store.clearExpired(1_000)));
    expect(cleared.reduce((sum, each) => sum + each)).toBe(300);
    expect(await admin('SELECT CONVERT(`key` USING ascii) AS k FROM cleared')).toMatchObject([{ k: 'live' }]);
  });

  test('a statement that is rolled back in a deadlock is sent again', async () => {
    let now = Date.now();
    let sent = 0;
    const query: MysqlQuery = (text, values) => {
      if (text.startsWith('DELETE')) sent += 1;
      return count(text, values);
    };
    const store = mysqlStore({ query, table: 'deadlocks', clearEvery: false, timeout, clock: () => now });
    await store.migrate();
    await Promise.all(['a', 'b'].map((key, at) => store.add(key, {}, now + MINUTE + at)));
    await Promise.all(Array.from({ length: 50 }, (_, at) => store.add(`k:${at}`, {}, now + 60 * MINUTE)));
    now += 5 * MINUTE;
    sent = 0;
    // It has changed more rows than are cleared, so the server rolls the clearing back.
    const other = await counting.getConnection();
    await other.query('BEGIN');
    await other.query("UPDATE deadlocks SET turn = 1 WHERE `key` > 'a'");
    const cleared = store.clearExpired(10);
    const waiting = "SELECT 1 FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'";
    await vi.waitFor(async () => expect(await admin(waiting)).toHaveLength(1), { timeout: 5_000 });
    await other.query("UPDATE deadlocks SET turn = 1 WHERE `key` = 'a'");
    await other.query('COMMIT');
    other.release();
    expect(await cleared).toBe(2);
    expect(sent, 'both tables, and once more').toBeGreaterThan(2);
  });

  // The plan: a group with thousands of keys is read from its place on, not sorted.
  test('a page of a large group reads as many entries as it has', async () => {
    const store = mysqlStore({ query: count, table: 'plans', clearEvery: false, timeout });
    await store.migrate();
    const rows = Array.from({ length: 2_000 }, (_, at) => `('g', 'k:${String(at).padStart(5, '0')}', ${LATER()})`);
    await admin(`INSERT INTO plans_groups VALUES ${rows.join(', ')}`);
    const connection = await counting.getConnection();
    const before = await handlerReads(connection);
    expect(
      (
        await mysqlStore({
          query: async (text, values) => (await connection.execute(text, values))[0],
          table: 'plans',
          clearEvery: false,
        }).list('g', { after: 'k:01000', limit: 10 })
      ).keys,
    ).toHaveLength(10);
    expect((await handlerReads(connection)) - before).toBeLessThan(40);
    connection.release();
  });

  async function handlerReads(connection: mysql2.PoolConnection): Promise<number> {
    const [rows] = await connection.query<mysql2.RowDataPacket[]>("SHOW SESSION STATUS LIKE 'Handler_read%'");
    return rows.reduce((sum, row) => sum + Number(row['Value']), 0);
  }
});

describeEngine('failures of MariaDB', noMariadb, () => {
  let server: MariadbServer;
  beforeAll(async () => {
    server = await startMariadb();
  });
  afterAll(() => server?.remove());

  describe.each(DRIVERS)('with %s', (driver) => {
    let store: Awaited<ReturnType<typeof openStore>>;
    beforeAll(async () => {
      store = await openStore(server.url, { driver, timeout: TIMEOUT_MS, onError });
      await vi.waitFor(() => store.migrate(), { timeout: 10_000 });
    });
    afterAll(() => store?.close());

    testServerFaults(
      () => server,
      () => store,
    );

    test('a connection that is ended while it is idle is replaced', async () => {
      await store.get(freshKey());
      const sessions = await mariadbQuery(server, "SELECT id FROM information_schema.processlist WHERE user = 'app'");
      for (const session of sessions) await mariadbQuery(server, `KILL ${String(Reflect.get(Object(session), 'id'))}`);
      await expectRecovery(store);
    });
  });
});
