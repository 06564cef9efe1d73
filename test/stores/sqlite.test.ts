import { spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { chmodSync, readFileSync, rmSync, statSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { type SqliteDatabase, type SqliteStatement, sqliteStore } from 'oauth-query/stores/sqlite';
import { storeContract, type StoreContractOptions } from 'oauth-query/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { bundleOf } from '../bundle.js';
import { describeEngine } from './engines/availability.js';
import { temporaryDirectory } from './engines/daemon.js';
import { noSqlite, sqliteDrivers, startHolder } from './engines/sqlite.js';

const OFFERS: StoreContractOptions = { offers: ['getMany', 'list'] };
const LATER = () => Date.now() + 3_600_000;
const range = (length: number): number[] => Array.from({ length }, (_, index) => index);

const callable = (database: SqliteDatabase): SqliteDatabase => ({
  exec: (sql) => database.exec(sql),
  prepare: (sql) => database.prepare(sql),
  close: () => database.close(),
});

/** A connection to a server in this process that returns every byte. */
async function startEcho(): Promise<{ roundTrip(): Promise<unknown>; close(): void }> {
  const server = createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1'); // it listens on a port
  await once(socket, 'connect');
  return {
    roundTrip: () => (socket.write('x'), once(socket, 'data')),
    close: () => (socket.destroy(), server.close()),
  };
}

describe.each(sqliteDrivers)('SQLite over %s', (_name, openDatabase) => {
  function open(file: string): SqliteDatabase {
    const database = openDatabase(file);
    database.exec('PRAGMA busy_timeout = 2000');
    // As the store opens a file itself: no add waits for the disk.
    database.exec('PRAGMA journal_mode = WAL');
    database.exec('PRAGMA synchronous = NORMAL');
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
  }, OFFERS)) {
    test(name, run);
  }

  test('an add that returns false leaves no entry, and one whose entry cannot be written leaves no record', async () => {
    const database = openDatabase(':memory:');
    const store = sqliteStore({ database, clearEvery: false });
    await store.add('k:1', {}, LATER(), ['g:1']);
    expect(await store.add('k:1', {}, LATER(), ['g:2'])).toBe(false);
    expect(await store.list('g:2', { limit: 10 })).toEqual({ keys: [] });
    database.exec(
      `CREATE TRIGGER broken BEFORE INSERT ON oauth_records_groups BEGIN SELECT raise(ABORT, 'broken'); END`,
    );
    await expect(store.add('k:2', {}, LATER(), ['g:1'])).rejects.toThrow(/broken/);
    expect(await store.get('k:2')).toBeUndefined();
    expect(await store.list('g:1', { limit: 10 })).toEqual({ keys: ['k:1'] });
    await store.close();
    database.close();
  });

  test('a full file: add rejects, existing records stay, and there is space again', async () => {
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
  test('locked for too long: all that wait as long reject at the same attempt', async () => {
    const database = openDatabase(':memory:');
    let isLocked = false;
    let attempts = 0;
    const exec = (sql: string): unknown => {
      if (!isLocked) return database.exec(sql);
      attempts += 1;
      throw new Error('database is locked');
    };
    const { prepare, close } = callable(database);
    const store = sqliteStore({ database: { exec, prepare, close }, busyTimeout: 50, clearEvery: false });
    isLocked = true;
    const ends = await Promise.all(
      range(20).map((index) =>
        store.add(`w:${index}`, {}, LATER()).then(
          () => expect.fail('It is locked.'),
          () => attempts,
        ),
      ),
    );
    // Their deadlines differ by as long as the loop above took.
    expect(Math.max(...ends) - Math.min(...ends)).toBeLessThan(5);
    isLocked = false;
    expect(await store.add('w:1', {}, LATER())).toBe(true);
    database.close();
  });

  test('getMany is a snapshot: of two records that another process deletes meanwhile, it returns both', async () => {
    const directory = temporaryDirectory();
    const database = open(join(directory, 'records.db'));
    const other = open(join(directory, 'records.db'));
    let between = (): unknown => undefined;
    const prepare = (sql: string): SqliteStatement => {
      const statement = database.prepare(sql);
      return {
        run: (...values) => statement.run(...values),
        get: (...values) => [statement.get(...values), between()][0],
      };
    };
    const { exec, close } = callable(database);
    const store = sqliteStore({ database: { exec, prepare, close }, clearEvery: false });
    await store.add('a', { is: 'a' }, LATER());
    await store.add('b', { is: 'b' }, LATER());
    between = () => other.exec('DELETE FROM oauth_records');
    expect(await store.getMany(['a', 'b'])).toEqual([{ is: 'a' }, { is: 'b' }]);
    expect(await store.getMany(['a', 'b'])).toEqual([undefined, undefined]);
    database.close();
    other.close();
    rmSync(directory, { recursive: true });
  });
});

describeEngine('SQLite in a file', noSqlite, () => {
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
  }, OFFERS)) {
    test(name, run);
  }

  test('locked by another process: reads do not wait, writes wait until it is free, and the event loop is not blocked', async () => {
    // Longer than a busy machine takes for the rest of this test.
    const store = sqliteStore({ file, busyTimeout: 100_000 });
    await store.add('kept', { is: 'kept' }, LATER());
    const holder = await startHolder(file);
    const loop = monitorEventLoopDelay({ resolution: 1 });
    const writing = Promise.all([store.add('a', { is: 'late' }, LATER()), store.delete('kept')]);
    loop.enable();
    for (let index = 0; index < 20; index += 1) {
      expect(await store.get('kept')).toEqual({ is: 'kept' });
      await sleep(10);
    }
    loop.disable();
    // The median: a busy machine stops us now and then, a lock would stop us each time.
    expect(loop.percentile(50) / 1e6).toBeLessThan(50);
    expect(await store.get('a')).toBeUndefined();
    await holder.release();
    expect(await writing).toEqual([true, undefined]);
    expect(await store.getMany(['a', 'kept'])).toEqual([{ is: 'late' }, undefined]);
    await store.close();
  });

  test('locked by another process: whatever waits, the process reads its sockets in between', async () => {
    const store = sqliteStore({ file, busyTimeout: 20_000 });
    await store.add('kept', { is: 'kept' }, LATER());
    const echo = await startEcho();
    const holder = await startHolder(file);
    const writing = Promise.all(range(20).map((index) => store.add(`w:${index}`, {}, LATER())));
    // Timers run also when sockets starve. So they say how long a round trip took, whatever else the machine does.
    const turns: number[] = [];
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 1);
    for (const _round of range(30)) {
      ticks = 0;
      await echo.roundTrip();
      turns.push(ticks);
      await sleep(10);
    }
    clearInterval(timer);
    expect(Math.max(...turns)).toBeLessThan(30);
    await holder.release();
    expect(await writing).toEqual(range(20).map(() => true));
    echo.close();
    await store.close();
  });

  test('locked by another process for too long: writes reject, reads continue; unlocked, everything works', async () => {
    const store = sqliteStore({ file, busyTimeout: 50 });
    await store.add('kept', { is: 'kept' }, LATER());
    const holder = await startHolder(file);
    await expect(store.add('a', {}, LATER())).rejects.toThrow(/locked|busy/);
    await expect(store.delete('kept')).rejects.toThrow(/locked|busy/);
    expect(await store.get('kept')).toEqual({ is: 'kept' });
    await holder.release();
    expect(await store.add('a', {}, LATER())).toBe(true);
    await store.close();
  });

  test('locked by another process while the tables are created: opening waits as long as a write may', async () => {
    const made = sqliteDrivers[0]?.[1](file);
    made?.exec('PRAGMA journal_mode = WAL');
    made?.close();
    const holder = await startHolder(file);
    const begun = performance.now();
    expect(() => sqliteStore({ file, busyTimeout: 300 })).toThrow(/locked|busy/);
    expect(performance.now() - begun).toBeGreaterThan(250);
    await holder.release();
    const store = sqliteStore({ file });
    expect(await store.add('a', {}, LATER())).toBe(true);
    await store.close();
  });

  test('only the owner may read a new file and its log; an old file that others may read is reported', async () => {
    const onWarning = vi.fn();
    const before = process.umask(0);
    const store = sqliteStore({ file, onWarning });
    process.umask(before);
    await store.add('a', {}, LATER());
    for (const path of [file, `${file}-wal`, `${file}-shm`]) expect(statSync(path).mode & 0o777).toBe(0o600);
    await store.close();
    await sqliteStore({ file, onWarning }).close();
    expect(onWarning).not.toHaveBeenCalled();
    chmodSync(file, 0o644);
    await sqliteStore({ file, onWarning }).close();
    expect(onWarning.mock.calls).toEqual([[expect.stringMatching(/chmod 600 .* \(OQ501\)$/), 'OQ501']]);
    expect(statSync(file).mode & 0o777, 'a chosen mode stays').toBe(0o644);
  });

  test('closed: every call rejects', async () => {
    const store = sqliteStore({ file });
    await store.close();
    await expect(store.add('a', {}, LATER())).rejects.toThrow();
    await expect(store.swap('a', '1', { rev: '2' }, LATER())).rejects.toThrow(/closed/);
    await expect(store.get('a')).rejects.toThrow(/closed/);
    await expect(store.getMany(['a', 'b'])).rejects.toThrow(/closed/);
    await expect(store.list('a', { limit: 1 })).rejects.toThrow(/closed/);
    await expect(store.delete('a')).rejects.toThrow();
  });

  test('an invalid record is rejected', async () => {
    const database = sqliteDrivers[0]?.[1](file);
    const store = sqliteStore({ file });
    for (const [index, value] of ['5', 'null', '{"a":', ''].entries()) {
      database?.prepare('INSERT INTO oauth_records VALUES (?, ?, ?)').run(`k${index}`, value, LATER());
      await expect(store.get(`k${index}`)).rejects.toMatchObject({ code: 'STORE_ANSWER' });
    }
    database?.close();
    await store.close();
  });

  test('a path that is neither a file nor a database: one sentence', () => {
    expect(() => sqliteStore({})).toThrow(/open \{ database \}/);
  });

  test('four processes open a new file and compete for 200 keys: 200 successes', async () => {
    const program = await bundleOf('test/stores/engines/sqlite-racer.ts');
    const racers = [1, 2, 3, 4].map(() => {
      const child = spawn(process.execPath, [program, file, '200', '5'], {
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
