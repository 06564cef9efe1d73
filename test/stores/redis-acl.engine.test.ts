import { openStore, type OpenedStore } from 'oauth-query/stores/open';
import { expect, test } from 'vitest';
import { DOCUMENTS } from '../docs/documents.js';
import { describeEngine } from './engines/availability.js';
import { command, noRedis, startRedis, startRedisCluster } from './engines/redis.js';

const LATER = (): number => Date.now() + 3_600_000;

/** The commands of the operations guide, each a list of words. */
const [single = [], cluster = []] = (DOCUMENTS.find(({ path }) => path === 'docs/operations.md')?.blocks ?? [])
  .filter(({ code }) => code.startsWith('ACL SETUSER'))
  .map(({ code }) => code.trim().split(/\s+/));

/** Everything that a store sends, with entries that have expired and are removed. */
async function useAll(store: OpenedStore, prefix: string, ahead: OpenedStore): Promise<void> {
  await store.check();
  for (let n = 0; n < 40; n += 1) await store.add(`${prefix}${n}`, { n }, Date.now() + 60_000, ['g']);
  for (let n = 0; n < 40; n += 1) await ahead.add(`${prefix}${n}`, { n }, LATER() + 7_200_000, ['g']);
  expect(await store.add(`${prefix}r`, { rev: '1' }, LATER(), ['g'])).toBe(true);
  expect(await store.swap(`${prefix}r`, '1', { rev: '2' }, LATER())).toBe(true);
  expect(await store.get(`${prefix}r`)).toEqual({ rev: '2' });
  expect(await store.getMany([`${prefix}r`, `${prefix}x`])).toEqual([{ rev: '2' }, undefined]);
  expect((await store.list('g', { limit: 100 })).keys).toContain(`${prefix}r`);
  await store.delete(`${prefix}r`);
}

const asUser = (url: string): string => url.replace('://', '://oauth:secret@');

describeEngine('a Redis user limited to what docs/operations.md names', noRedis, () => {
  test.each(['redis', 'ioredis'] as const)('%s needs nothing else', async (driver) => {
    const redis = await startRedis();
    const clustered = await startRedisCluster();
    try {
      await command(redis.url, ...single);
      for (const url of clustered.urls) {
        await command(url, ...single);
        await command(url, ...cluster);
      }
      for (const url of [redis.url, clustered.address]) {
        const errors: unknown[] = [];
        const open = (clock: () => number) => openStore(asUser(url), { driver, clock, onError: (e) => errors.push(e) });
        const stores = await Promise.all([open(Date.now), open(() => Date.now() + 7_200_000)]);
        await useAll(stores[0], `${driver}:`, stores[1]);
        await Promise.all(stores.map((store) => store.close()));
        expect(errors).toEqual([]);
      }
      const denied = await command(redis.url, 'ACL', 'LOG');
      expect(JSON.stringify(denied)).not.toMatch(/zrem|eval|"get"|"set"/);
    } finally {
      await redis.remove();
      await clustered.remove();
    }
  });

  test('nothing of it can be left out', async () => {
    const redis = await startRedis();
    try {
      const needed = single.filter((word) => /^\+(?!ping$)/.test(word));
      expect(needed.length).toBeGreaterThan(8);
      for (const word of needed) {
        await command(redis.url, 'FLUSHALL');
        await command(redis.url, ...single);
        await command(redis.url, 'ACL', 'SETUSER', 'oauth', word.replace('+', '-'));
        const open = (clock: () => number) =>
          openStore(asUser(redis.url), { driver: 'redis', clock, onError: () => undefined });
        const stores = await Promise.all([open(Date.now), open(() => Date.now() + 7_200_000)]);
        await expect(useAll(stores[0], 'k:', stores[1]), word).rejects.toThrow();
        await Promise.all(stores.map((store) => store.close()));
      }
    } finally {
      await redis.remove();
    }
  });
});
