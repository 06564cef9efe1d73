import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { memoryStore } from 'oauth-query/stores/memory';
import { postgresStore, type PostgresStore } from 'oauth-query/stores/postgres';
import { redisStore, type RedisStore } from 'oauth-query/stores/redis';
import { sqliteStore, type SqliteDatabase } from 'oauth-query/stores/sqlite';
import pg from 'pg';
import { createClient } from 'redis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeEngine } from './engines/availability.js';
import { temporaryDirectory } from './engines/daemon.js';
import { TIMEOUT_MS } from './engines/fault-cases.js';
import { expect503, serverOn, testOutages } from './engines/outage-cases.js';
import { noPostgres, startPostgres, type PostgresServer } from './engines/postgres.js';
import { command, noRedis, startRedis, type RedisServer } from './engines/redis.js';
import { noSqlite, sqliteDrivers } from './engines/sqlite.js';

describeEngine('a server with a failing Redis', noRedis, () => {
  let redis: RedisServer;
  let store: RedisStore;
  let close: () => void;
  beforeAll(async () => {
    redis = await startRedis();
    const client = createClient({ url: redis.url, disableOfflineQueue: true });
    client.on('error', () => undefined);
    await client.connect();
    close = () => client.destroy();
    store = redisStore({ sendCommand: (args) => client.sendCommand(args), timeout: TIMEOUT_MS });
  });
  const outage = serverOn(() => store);
  afterAll(async () => {
    close?.();
    await redis?.remove();
  });

  testOutages(() => redis, outage);

  test('full: no new tokens, but the old ones work; then everything works again', async () => {
    const token = await outage.tokenAtLast();
    await command(redis.url, 'CONFIG', 'SET', 'maxmemory', '1');
    await expect503(await outage.token());
    expect((await outage.guarded(token)).status).toBe(200);
    await command(redis.url, 'CONFIG', 'SET', 'maxmemory', '0');
    expect((await outage.token()).status).toBe(200);
  });
});

describeEngine('a server with a failing PostgreSQL', noPostgres, () => {
  let postgres: PostgresServer;
  let pool: pg.Pool;
  let store: PostgresStore;
  beforeAll(async () => {
    postgres = await startPostgres();
    pool = new pg.Pool({ connectionString: postgres.url, connectionTimeoutMillis: 1_000 });
    pool.on('error', () => undefined);
    store = postgresStore({ query: (text, values) => pool.query(text, values), timeout: TIMEOUT_MS });
    await store.migrate();
  });
  const outage = serverOn(() => store);
  afterAll(async () => {
    await store?.close();
    await pool?.end();
    await postgres?.remove();
  });

  testOutages(() => postgres, outage);

  test('without its table: 503, and with it everything works again', async () => {
    const token = await outage.tokenAtLast();
    await pool.query('ALTER TABLE oauth_records RENAME TO elsewhere');
    await expect503(await outage.token());
    await expect503(await outage.guarded(token));
    await pool.query('ALTER TABLE elsewhere RENAME TO oauth_records');
    expect((await outage.guarded(token)).status).toBe(200);
  });
});

describeEngine('a server with a failing SQLite file', noSqlite, () => {
  const directory = temporaryDirectory();
  const file = join(directory, 'records.db');
  const store = sqliteStore({ file, busyTimeout: 50 });
  const outage = serverOn(() => store);
  let other: SqliteDatabase | undefined;
  beforeAll(() => {
    other = sqliteDrivers[0]?.[1](file);
  });
  afterAll(async () => {
    other?.close();
    await store.close();
    rmSync(directory, { recursive: true });
  });

  test('locked by another process: no new tokens, but the old ones work; then everything works again', async () => {
    const token = await outage.tokenAtLast();
    other?.exec('BEGIN IMMEDIATE');
    await expect503(await outage.token());
    expect((await outage.guarded(token)).status).toBe(200);
    other?.exec('ROLLBACK');
    expect((await outage.token()).status).toBe(200);
  });
});

describeEngine('a server whose memory store is full', undefined, () => {
  let now = Date.now();
  const clock = () => now;
  const store = memoryStore({ max: 1, clock });
  const outage = serverOn(() => store, clock);

  test('no new tokens, but the old one works; when it has expired, there is capacity again', async () => {
    const token = await outage.tokenAtLast();
    await expect503(await outage.token());
    expect((await outage.guarded(token)).status).toBe(200);
    now += 3_600_000;
    expect((await outage.token()).status).toBe(200);
  });
});
