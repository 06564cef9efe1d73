import { redisStore } from 'oauth-query/stores/redis';
import { createCluster } from 'redis';
import { expect, test } from 'vitest';
import { describeEngine } from './engines/availability.js';
import { dumpRedis, expectAll, fill } from './engines/dump.js';
import { noRedis, startRedisCluster } from './engines/redis.js';

describeEngine('dumps of a Redis Cluster', noRedis, () => {
  test('all masters together, and each has a part', async () => {
    const { urls, remove } = await startRedisCluster();
    const cluster = createCluster({ rootNodes: urls.map((url) => ({ url })) });
    await cluster.connect();
    await fill(redisStore({ sendCommand: (args, key) => cluster.sendCommand(key, false, args) }));
    const dumps = await Promise.all(urls.map((url) => dumpRedis(url)));
    for (const dump of dumps) expect(dump).toContain('oauth:key-');
    expectAll(dumps.join('\n'));
    expectAll(await dumpRedis(...urls));
    cluster.destroy();
    await remove();
  });
});
