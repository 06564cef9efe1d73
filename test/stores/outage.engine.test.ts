import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { memoryStore } from 'oauth-query/stores/memory';
import { type OpenedStore, openStore } from 'oauth-query/stores/open';
import { sqliteStore, type SqliteDatabase } from 'oauth-query/stores/sqlite';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { describeEngine } from './engines/availability.js';
import { temporaryDirectory } from './engines/daemon.js';
import { freshKey, TIMEOUT_MS } from './engines/fault-cases.js';
import { type MariadbServer, noDisk, startMariadb } from './engines/mariadb.js';
import { expect503, type Outage, serverOn, testOutages } from './engines/outage-cases.js';
import { command } from './engines/redis.js';
import { chosen, type Driver, MARIADB, POSTGRES, REDIS, type Server, type ServerKind } from './engines/servers.js';
import { noSqlite, sqliteDrivers } from './engines/sqlite.js';

/** A suite on one server, over its driver. */
function suite({ title, missing, start }: ServerKind, driver: Driver, more: Suite = () => undefined): void {
  describeEngine(`a server with a failing ${title}, ${driver}`, missing, () => {
    let server: Server;
    let store: OpenedStore;
    beforeAll(async () => {
      server = await start();
      store = await openStore(server.url, { ...chosen(driver), timeout: TIMEOUT_MS, onError: () => undefined });
      await vi.waitFor(() => store.migrate(), { timeout: 10_000 });
    });
    const outage = serverOn(() => store);
    afterAll(async () => {
      await store?.close();
      await server?.remove();
    });
    testOutages(() => server, outage);
    more(() => server, outage);
  });
}

type Suite = (server: () => Server, outage: Outage) => void;

suite(REDIS, 'redis', (redis, outage) => {
  test('full: no new tokens, but the old ones work; then everything works again', async () => {
    const token = await outage.tokenAtLast();
    await command(redis().url, 'CONFIG', 'SET', 'maxmemory', '1');
    await expect503(await outage.token());
    expect((await outage.guarded(token)).status).toBe(200);
    await command(redis().url, 'CONFIG', 'SET', 'maxmemory', '0');
    expect((await outage.token()).status).toBe(200);
  });
});

suite(POSTGRES, 'pg', (postgres, outage) => {
  test('without its table: 503, and with it everything works again', async () => {
    const token = await outage.tokenAtLast();
    const client = new pg.Client(postgres().url);
    await client.connect();
    await client.query('ALTER TABLE oauth_records RENAME TO elsewhere');
    await expect503(await outage.token());
    await expect503(await outage.guarded(token));
    await client.query('ALTER TABLE elsewhere RENAME TO oauth_records');
    expect((await outage.guarded(token)).status).toBe(200);
    await client.end();
  });
});

for (const driver of MARIADB.drivers) suite(MARIADB, driver);

describeEngine('a server whose MariaDB has a full disk', noDisk, () => {
  let server: MariadbServer;
  let store: OpenedStore;
  beforeAll(async () => {
    server = await startMariadb({ disk: 256 * 1024 * 1024 });
    store = await openStore(server.url, { onError: () => undefined });
    await store.migrate();
  });
  const outage = serverOn(() => store);
  afterAll(async () => {
    await store?.close();
    await server?.remove();
  });

  test('no new tokens, but the old ones work; with space again, everything works and nothing is lost', async () => {
    const tokens = [await outage.tokenAtLast()];
    const ballast = join(server.files(), 'ballast');
    const fill = openSync(ballast, 'w');
    const megabyte = Buffer.alloc(1024 * 1024);
    expect(() => {
      for (;;) writeSync(fill, megabyte);
    }).toThrow('ENOSPC');
    closeSync(fill);
    // InnoDB tries again and again to make its file larger, and does not answer.
    const large = { text: 'x'.repeat(100_000) };
    await expect(store.add(freshKey(), large, Date.now() + 3_600_000)).rejects.toThrow(/did not answer|full/);
    // There is some space left within the file.
    let last = await outage.token();
    for (; last.status === 200; last = await outage.token())
      tokens.push(String(Object(await last.json()).access_token));
    await expect503(last);
    for (const token of tokens) expect((await outage.guarded(token)).status).toBe(200);
    rmSync(ballast);
    tokens.push(await outage.tokenAtLast());
    for (const token of tokens) expect((await outage.guarded(token)).status).toBe(200);
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
