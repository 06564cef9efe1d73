import { postgresStore } from 'oauth-query/stores/postgres';
import { redisStore } from 'oauth-query/stores/redis';
import { Pool } from 'pg';
import { createCluster } from 'redis';
import { expect, test } from 'vitest';
import { describeEngine } from './engines/availability.js';
import { dumpPostgres, dumpRedis, expectAll, expectGroups, fill } from './engines/dump.js';
import { noPostgres, startPostgres } from './engines/postgres.js';
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

describeEngine('dumps of PostgreSQL', noPostgres, () => {
  test('every record and every group', async () => {
    const { url, remove } = await startPostgres();
    const pool = new Pool({ connectionString: url });
    const query = (text: string, values: (string | number)[]) => pool.query(text, values);
    const store = postgresStore({ query, clearEvery: false });
    await store.migrate();
    await fill(store);
    expectAll(await dumpPostgres(query));
    expectGroups(await dumpPostgres(query));
    await pool.end();
    await remove();
  });
});
