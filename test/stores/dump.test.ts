import { PGlite } from '@electric-sql/pglite';
import { createCluster } from 'redis';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { memoryStore } from 'oauth-query/stores/memory';
import { postgresStore } from 'oauth-query/stores/postgres';
import { redisStore } from 'oauth-query/stores/redis';
import { sqliteStore } from 'oauth-query/stores/sqlite';
import type { Store } from '../../src/core/ports.js';
import { describeEngine } from './engines/availability.js';
import { temporaryDirectory } from './engines/daemon.js';
import { dumpMemory, dumpPostgres, dumpRedis, dumpSql, dumpSqliteFile } from './engines/dump.js';
import { noRedis, startRedisCluster } from './engines/redis.js';
import { noSqlite, sqliteDrivers } from './engines/sqlite.js';

/** What the dumps must show, because other tests conclude from what they do not show. */
async function fill(store: Store): Promise<void> {
  for (let index = 0; index < 30; index += 1) {
    await store.add(`key-${index}-end`, { secret: `value-${index}-end` }, Date.now() + 60_000);
  }
}

function expectAll(dump: string): void {
  for (let index = 0; index < 30; index += 1) {
    expect(dump).toContain(`key-${index}-end`);
    expect(dump).toContain(`value-${index}-end`);
  }
}

test('the dump of a memory store shows every record', async () => {
  const store = memoryStore();
  await fill(store);
  expectAll(dumpMemory(store));
});

test('so does that of PostgreSQL', async () => {
  const database = await PGlite.create();
  const query = (text: string, values: (string | number)[]) => database.query(text, values);
  const store = postgresStore({ query, clearEvery: false });
  await store.migrate();
  await fill(store);
  expectAll(await dumpPostgres(query));
  await database.close();
});

describeEngine('dumps of SQLite', noSqlite, () => {
  test('rows, and the bytes of the file while it is open', async () => {
    const directory = temporaryDirectory();
    const file = join(directory, 'records.db');
    const store = sqliteStore({ file });
    await fill(store);
    const database = sqliteDrivers[0]?.[1](file);
    expectAll(database ? dumpSql(database) : '');
    expectAll(dumpSqliteFile(file));
    database?.close();
    await store.close();
    rmSync(directory, { recursive: true });
  });
});

describeEngine('dumps of a Redis Cluster', noRedis, () => {
  test('all masters together, and each of them has a part', async () => {
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
