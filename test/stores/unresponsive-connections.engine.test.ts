import { setTimeout as sleep } from 'node:timers/promises';
import { openStore, type OpenStoreOptions } from 'oauth-query/stores/open';
import { describe, expect, test } from 'vitest';
import { describeEngine } from './engines/availability.js';
import { freshKey } from './engines/fault-cases.js';
import { noMariadb, startMariadb } from './engines/mariadb.js';
import { noPostgres, startPostgres } from './engines/postgres.js';
import { type Proxy, startProxy } from './engines/proxy.js';
import { noRedis, startRedis, startRedisCluster, until } from './engines/redis.js';

const LATER = () => Date.now() + 3_600_000;
const LIMIT_MS = 10_000;

interface Place {
  readonly address: string;
  readonly proxies: readonly Proxy[];
  remove(): Promise<unknown>;
}

/** A connection that accepts bytes and answers nothing: with the default settings the store is back within ten seconds. */
function suite(
  title: string,
  missing: string | undefined,
  start: () => Promise<Place>,
  options: OpenStoreOptions = {},
): void {
  describeEngine(title, missing, () => {
    test('some connections stop responding, then new ones as well, and then they work again', async () => {
      const { address, proxies, remove } = await start();
      const store = await openStore(address, { ...options, onError: () => undefined });
      const connections = (): number => proxies.reduce((sum, proxy) => sum + proxy.connections, 0);
      /** On a cluster so many keys are on every node. */
      const addSome = (): Promise<unknown> =>
        Promise.all(Array.from({ length: 20 }, () => store.add(freshKey(), { is: 'back' }, LATER())));
      const backAfter = async (): Promise<number> => {
        const since = performance.now();
        for (;;) {
          const answers = await addSome().catch(() => undefined);
          const passed = performance.now() - since;
          if (answers !== undefined) return passed;
          expect(passed, 'the store is not back').toBeLessThan(LIMIT_MS);
          await sleep(100);
        }
      };
      try {
        await until(() => store.migrate().then(() => true), 'the store is not there');
        await addSome();
        const before = connections();
        for (const proxy of proxies) proxy.silence();
        const first = await backAfter();
        expect(connections()).toBeGreaterThan(before);

        for (const proxy of proxies) proxy.silenceAll();
        const end = performance.now() + 8_000;
        while (performance.now() < end) {
          await expect(store.get(freshKey())).rejects.toBeInstanceOf(Error);
          await sleep(200);
        }
        for (const proxy of proxies) proxy.recover();
        const second = await backAfter();
        console.log(`${title}: back after ${Math.round(first)} and ${Math.round(second)} ms`);
        expect(Math.max(first, second)).toBeLessThan(LIMIT_MS);
      } finally {
        await store.close();
        await remove();
      }
    });
  });
}

const proxied = async (start: typeof startRedis | typeof startPostgres | typeof startMariadb): Promise<Place> => {
  const server = await start();
  const proxy = await startProxy(() => server.port);
  return {
    address: server.url.replace(`:${server.port}`, `:${proxy.port}`),
    proxies: [proxy],
    remove: () => Promise.all([proxy.close(), server.remove()]),
  };
};

// Each waits most of the time.
describe.concurrent('unresponsive connections', () => {
  for (const driver of ['redis', 'ioredis'] as const) {
    suite(`Redis, ${driver}`, noRedis, () => proxied(startRedis), { driver });
    suite(`Redis Cluster, ${driver}`, noRedis, () => startRedisCluster({ proxied: true }), { driver });
  }
  suite('PostgreSQL, pg', noPostgres, () => proxied(startPostgres));
  for (const driver of ['mysql2', 'mariadb'] as const) {
    suite(`MariaDB, ${driver}`, noMariadb, () => proxied(startMariadb), { driver });
  }
});
