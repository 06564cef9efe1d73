import { openStore } from 'oauth-query/stores/open';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeEngine } from './engines/availability.js';
import { freshKey } from './engines/fault-cases.js';
import {
  command,
  noRedis,
  type RedisCluster,
  type RedisSentinel,
  startRedis,
  startRedisCluster,
  startRedisSentinel,
  until,
} from './engines/redis.js';
import { startTalkativeSentinel } from './engines/sentinel.js';

const LATER = () => Date.now() + 3_600_000;
const range = (length: number): number[] => Array.from({ length }, (_, index) => index);

/** Nodes that change their roles once more may not answer in time; a call that was not answered is repeated, an answer is never. */
async function answered<T>(call: () => Promise<T>, repeats = 5): Promise<T> {
  for (let left = repeats; ; left -= 1) {
    try {
      return await call();
    } catch (error) {
      if (left === 0) throw error;
    }
  }
}

async function expectFailover(
  { address, failOver }: RedisCluster | RedisSentinel,
  driver: 'redis' | 'ioredis',
): Promise<void> {
  const store = await openStore(address, { driver, onError: () => undefined });
  const addEverywhere = async (): Promise<boolean> =>
    (await Promise.all(range(30).map(() => store.add(freshKey(), {}, LATER())))).every(Boolean);
  // On a busy machine, the first attempt to connect to a node may fail.
  await until(addEverywhere, 'the store did not open');
  const keys = range(100).map(freshKey);
  for (const key of keys) expect(await store.add(key, { key }, LATER())).toBe(true);
  await failOver();
  const start = performance.now();
  // Longer than sentinels do nothing on a busy machine.
  await until(addEverywhere, 'the store did not come back', 90);
  console.log(`${driver}: ${Math.round(performance.now() - start)} ms from the death of the master to working calls`);
  for (const key of keys) {
    expect(await answered(() => store.get(key))).toEqual({ key });
    expect(await answered(() => store.add(key, {}, LATER()))).toBe(false);
  }
  await store.check();
  await store.close();
}

// Each waits most of the time.
for (const driver of ['redis', 'ioredis'] as const) {
  const atOnce = (title: string, suite: () => void): void =>
    describeEngine(`${title} with ${driver}`, noRedis, suite, { concurrent: true });
  atOnce('Redis Cluster', () => {
    let cluster: RedisCluster;
    beforeAll(async () => {
      cluster = await startRedisCluster({ replicas: true });
    });
    afterAll(() => cluster?.remove());

    test.sequential('opened with the address of one node, it works immediately on all of them', async () => {
      const [address = ''] = cluster.address.split(',');
      for (let round = 0; round < 10; round += 1) {
        const store = await openStore(address, { driver, onError: () => undefined });
        const adds = range(30).map(() => store.add(freshKey(), {}, LATER()));
        expect((await Promise.all(adds)).every(Boolean)).toBe(true);
        await store.close();
      }
    });

    test.sequential('check checks every master', async () => {
      const store = await openStore(cluster.address, { driver, onError: () => undefined });
      await store.check();
      for (const { url } of cluster.masters) {
        await command(url, 'CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lfu');
        await expect(store.check()).rejects.toThrow(/allkeys-lfu/);
        await command(url, 'CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
      }
      await store.check();
      await store.close();
    });

    test.sequential('replicated records survive, and calls succeed again', async () => {
      await expectFailover(cluster, driver);
    }, 150_000);
  });

  atOnce('Sentinel', () => {
    test('replicated records survive, and calls succeed again', async () => {
      const sentinel = await startRedisSentinel();
      try {
        await expectFailover(sentinel, driver);
      } finally {
        await sentinel.remove();
      }
    }, 150_000);
  });
}

describeEngine('ioredis and a sentinel that announces failovers while it is queried for the master', noRedis, () => {
  test('a lost connection is restored', async () => {
    const redis = await startRedis();
    const sentinel = await startTalkativeSentinel(redis.port);
    const store = await openStore(`redis+sentinel://127.0.0.1:${sentinel.port}/mymaster`, {
      driver: 'ioredis',
      onError: () => undefined,
    });
    const add = (): Promise<boolean> => store.add(freshKey(), {}, LATER());
    try {
      await until(add, 'the store did not open');
      for (let round = 0; round < 3; round += 1) {
        await command(redis.url, 'CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
        await until(add, 'the store did not come back');
      }
    } finally {
      await store.close();
      sentinel.close();
      await redis.remove();
    }
  }, 120_000);
});
