import { setTimeout as sleep } from 'node:timers/promises';
import { openStore } from 'oauth-query/stores/open';
import { expect, test } from 'vitest';
import type { Store } from '../../src/core/base/ports.js';
import { describeEngine } from './engines/availability.js';
import { startProxy } from './engines/proxy.js';
import { noRedis, startRedis } from './engines/redis.js';

const CUTS = 12;
const BETWEEN_MS = 300;

/** How many of the calls in this time are rejected, from 0 to 1. */
async function rejectedShare(store: Store, time: Promise<unknown>): Promise<number> {
  let isOver = false;
  let rejected = 0;
  let calls = 0;
  void time.then(() => (isOver = true));
  while (!isOver) {
    calls += 1;
    await store.get('a').catch(() => (rejected += 1));
    await sleep(5);
  }
  return rejected / calls;
}

describeEngine('Redis whose connections are cut every 300 ms', noRedis, () => {
  test('a store on ioredis is back as soon as one on node-redis', async () => {
    const redis = await startRedis();
    const share = { redis: 0, ioredis: 0 };
    // At the same time, so that both meet the same load of the machine.
    await Promise.all(
      (['redis', 'ioredis'] as const).map(async (driver) => {
        const proxy = await startProxy(() => Number(new URL(redis.url).port));
        const url = `redis://127.0.0.1:${proxy.port}`;
        const store = await openStore(url, { driver, onError: () => undefined });
        const cutting = async (): Promise<void> => {
          for (let cut = 0; cut < CUTS; cut += 1) {
            await sleep(BETWEEN_MS);
            proxy.cutAfter(0);
          }
        };
        share[driver] = await rejectedShare(store, cutting());
        await store.close();
        await proxy.close();
      }),
    );
    await redis.remove();
    console.log(`rejected: node-redis ${share.redis.toFixed(2)}, ioredis ${share.ioredis.toFixed(2)}`);
    expect(share.ioredis).toBeLessThan(share.redis + 0.25);
  }, 60_000);
});
