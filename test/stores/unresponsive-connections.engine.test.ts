import { setTimeout as sleep } from 'node:timers/promises';
import { openStore, type OpenStoreOptions } from 'oauth-query/stores/open';
import { describe, expect, test } from 'vitest';
import { describeEngine } from './engines/availability.js';
import { freshKey } from './engines/fault-cases.js';
import type { Proxy } from './engines/proxy.js';
import { noRedis, startRedisCluster, until } from './engines/redis.js';
import { chosen, proxied, SERVERS } from './engines/servers.js';

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

// Each waits most of the time.
describe.concurrent('unresponsive connections', () => {
  for (const { title, missing, start, drivers } of SERVERS) {
    for (const driver of drivers) suite(`${title}, ${driver}`, missing, () => proxied(start()), chosen(driver));
  }
  for (const driver of ['redis', 'ioredis'] as const) {
    suite(`Redis Cluster, ${driver}`, noRedis, () => startRedisCluster({ proxied: true }), { driver });
  }
});
