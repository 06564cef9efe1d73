import { spawn } from 'node:child_process';
import { on } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sqliteStore, type SqliteDatabase } from 'oauth-query/stores/sqlite';
import { storeContract } from 'oauth-query/testing';
import { describeEngine } from './engines/availability.js';
import { temporaryDirectory } from './engines/daemon.js';
import { noSqlite, sqliteDrivers } from './engines/sqlite.js';

const LATER = () => Date.now() + 3_600_000;

describe.each(sqliteDrivers)('SQLite over %s', (_name, openDatabase) => {
  function open(file: string): SqliteDatabase {
    const database = openDatabase(file);
    database.exec('PRAGMA busy_timeout = 2000');
    database.exec('PRAGMA journal_mode = WAL');
    return database;
  }

  for (const { name, run } of storeContract(() => {
    const directory = temporaryDirectory();
    return {
      open(clock) {
        const database = open(join(directory, 'records.db'));
        const store = sqliteStore({ database, clock, clearEvery: false });
        return { ...store, close: async () => (await store.close(), void database.close()) };
      },
      remove: () => rmSync(directory, { recursive: true }),
    };
  })) {
    test(name, run);
  }

  test('a full file: add rejects, what is there stays, and there is room again', async () => {
    const database = openDatabase(':memory:');
    const store = sqliteStore({ database, clearEvery: false });
    await store.add('kept', { is: 'kept' }, LATER());
    database.exec('PRAGMA max_page_count = 4');
    await expect(store.add('big', { text: 'x'.repeat(50_000) }, LATER())).rejects.toThrow(/full/);
    expect(await store.get('kept')).toEqual({ is: 'kept' });
    expect(await store.get('big')).toBeUndefined();
    database.exec('PRAGMA max_page_count = 1000');
    expect(await store.add('big', { text: 'x'.repeat(50_000) }, LATER())).toBe(true);
    database.close();
  });
});

describeEngine('SQLite by file', noSqlite, () => {
  let directory: string;
  let file: string;
  beforeEach(() => {
    directory = temporaryDirectory();
    file = join(directory, 'records.db');
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  for (const { name, run } of storeContract(() => {
    const place = temporaryDirectory();
    return {
      open: (clock) => sqliteStore({ file: join(place, 'records.db'), clock, clearEvery: false }),
      remove: () => rmSync(place, { recursive: true }),
    };
  })) {
    test(name, run);
  }

  test('locked by another process for too long: writes reject, reads go on; unlocked, everything works', async () => {
    const store = sqliteStore({ file, busyTimeout: 50 });
    await store.add('kept', { is: 'kept' }, LATER());
    const other = sqliteDrivers[0]?.[1](file);
    other?.exec('BEGIN IMMEDIATE');
    const start = performance.now();
    await expect(store.add('a', {}, LATER())).rejects.toThrow(/locked|busy/);
    await expect(store.delete('kept')).rejects.toThrow(/locked|busy/);
    expect(performance.now() - start).toBeLessThan(1_500);
    expect(await store.get('kept')).toEqual({ is: 'kept' });
    other?.exec('ROLLBACK');
    other?.close();
    expect(await store.add('a', {}, LATER())).toBe(true);
    await store.close();
  });

  test('closed: every call rejects', async () => {
    const store = sqliteStore({ file });
    await store.close();
    await expect(store.add('a', {}, LATER())).rejects.toThrow();
    await expect(store.get('a')).rejects.toThrow();
    await expect(store.delete('a')).rejects.toThrow();
  });

  test('a record that is no record is refused', async () => {
    const database = sqliteDrivers[0]?.[1](file);
    const store = sqliteStore({ file });
    for (const [index, value] of ['5', 'null', '{"a":', ''].entries()) {
      database?.prepare('INSERT INTO oauth_records VALUES (?, ?, ?)').run(`k${index}`, value, LATER());
      await expect(store.get(`k${index}`)).rejects.toMatchObject({ code: 'STORE_ANSWER' });
    }
    database?.close();
    await store.close();
  });

  test('neither file nor database: a sentence', () => {
    expect(() => sqliteStore({})).toThrow(/give a file or an open database/);
  });

  test('four processes that open a new file and race for 200 keys: 200 wins', async () => {
    const racers = [1, 2, 3, 4].map(() => {
      const racer = fileURLToPath(new URL('engines/sqlite-racer.ts', import.meta.url));
      const child = spawn(process.execPath, ['--import', 'tsx', racer, file, '200', '5'], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      return { child, lines: on(createInterface(child.stdout), 'line', { close: ['close'] }) };
    });
    for (const { lines } of racers) expect((await lines.next()).value).toEqual(['ready']);
    for (const { child } of racers) child.stdin.write('go\n');
    const wins: number[] = [];
    for (const { lines } of racers) wins.push(...JSON.parse((await lines.next()).value[0]));
    expect(wins).toHaveLength(200);
    expect(new Set(wins).size).toBe(200);
    expect(readFileSync(file).length).toBeGreaterThan(0);
  });
});
