import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { openStore } from 'oauth-query/stores/open';
import { redisStore, type RedisClient } from 'oauth-query/stores/redis';
import { createClient } from 'redis';
import { describe, expect, test, vi } from 'vitest';
import { parseRedisAddress } from '../../src/stores/drivers/address.js';
import { seldom } from '../../src/stores/drivers/connection.js';
import { loadDriver } from '../../src/stores/drivers/load.js';
import { everyRow } from '../rows.js';
import { temporaryDirectory } from './engines/daemon.js';

const LATER = () => Date.now() + 3_600_000;

describe('openStore', () => {
  test.each(['memory:', 'sqlite:'])('%s: a store that works, checks, migrates and closes', async (scheme) => {
    const directory = temporaryDirectory();
    const store = await openStore(scheme === 'memory:' ? scheme : scheme + join(directory, 'records.db'));
    await store.migrate();
    await store.check();
    expect(await store.add('a', { is: 'first' }, LATER())).toBe(true);
    expect(await store.getMany(['b', 'a'])).toEqual([undefined, { is: 'first' }]);
    expect(await store.add('b', { is: 'second' }, LATER(), ['g'])).toBe(true);
    expect(await store.list('g', { limit: 1 })).toEqual({ keys: ['b'] });
    await store.close();
    rmSync(directory, { recursive: true });
  });

  test('an invalid URL throws an error without the secret', () =>
    everyRow(
      [
        ['mongodb://user:secret@host', /must be memory:, sqlite:<file>, .* not mongodb:…$/],
        ['secret', /must be memory:/],
        ['sqlite:', /needs a file/],
        ['sqlite:oauth.db\n', /begins or ends with white space; does it end with a line break\?/],
        [' redis://:secret@h', /white space/],
        ['redis://:secret@h\r\n', /white space/],
        ['memory:\t', /white space/],
        ['sqlite:oauth\n.db', /contains a control character/],
        ['sqlite:oauth.db\0x', /contains a control character/],
        ['sqlite:\u0085.db', /contains a control character/],
        ['redis://:secret@h\t/0', /contains a control character/],
        ['sqlite://oauth.db', /root of the disk.*sqlite:oauth\.db.*sqlite:\/oauth\.db/],
        ['sqlite://data/oauth.db', /sqlite:data\/oauth\.db.*sqlite:\/data\/oauth\.db/],
        ['redis://user:se/cret@host', /must look like redis:\/\//],
        ['redis://user:%zzsecret@host', /must look like/],
        ['redis://:secret@host:99999', /must look like/],
        ['redis://:secret@a,b', /one host/],
        ['redis+cluster://:secret@a,b/2', /only database 0/],
        ['redis+sentinel://:secret@a,b', /needs the name of the master/],
        ['postgres://user:p@ss#secret@host/db', /PostgreSQL.*percent-encode/],
        ['postgres://user:sec/secret@host/db', /PostgreSQL/],
        ['postgres://user:1?secret@host/db', /PostgreSQL/],
        ['postgresql://user:1:secret', /PostgreSQL/],
      ],
      async ([url, sentence]) => {
        const error = await openStore(url).catch((cause: unknown) => cause);
        expect(error).toMatchObject({ name: 'TypeError', code: 'OQ113' });
        expect(String(error)).toMatch(sentence);
        expect(String(error)).not.toContain('secret');
        expect(/^ +at .*$/m.exec((error as Error).stack ?? '')?.[0], 'begins at the caller').toContain('open.test.ts');
      },
    ));

  test('URLs of PostgreSQL with a socket, an IPv6 address, parameters, and an @ in a password are opened', () =>
    everyRow(
      [
        'postgres:///db?host=/run/postgresql',
        'postgres://u@%2Frun%2Fpostgresql/db',
        'postgres://u:p%23@[::1]:5432/db?sslmode=require&options=-c%20a=b',
        'postgresql://u:p@ss@127.0.0.1/db',
        'postgres://u:p@/db?host=/run/postgresql',
      ],
      async (url) => (await openStore(url)).close(),
    ));

  test('a driver of another database is named, at the line of the caller', async () => {
    const error = await openStore('redis://127.0.0.1:1', { driver: 'mysql2' }).catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: 'OQ100', message: expect.stringContaining('redis or ioredis') });
    const { stack = '' } = error as Error;
    expect([stack.includes('open.test.ts'), stack.includes('src/stores')]).toEqual([true, false]);
  });

  test.concurrent.each([
    ['redis://127.0.0.1:1', 'redis'],
    ['redis://127.0.0.1:1', 'ioredis'],
    ['redis+cluster://127.0.0.1:1', 'redis'],
    ['redis+cluster://127.0.0.1:1', 'ioredis'],
    ['redis+sentinel://127.0.0.1:1/m', 'redis'],
    ['redis+sentinel://127.0.0.1:1/m', 'ioredis'],
    ['postgres://user@127.0.0.1:1/x', undefined],
  ] as const)('%s with %s: an unreachable server is not an error; calls and check reject', async (url, driver) => {
    const store = await openStore(url, { timeout: 600, onError: () => undefined, ...(driver && { driver }) });
    await expect(store.get('a')).rejects.toBeInstanceOf(Error);
    await expect(store.add('a', {}, LATER())).rejects.toBeInstanceOf(Error);
    await expect(store.check(), 'address and reason').rejects.toMatchObject({
      message: expect.stringContaining('ECONNREFUSED 127.0.0.1:1'),
      code: url.startsWith('redis') ? 'OQ115' : 'ECONNREFUSED',
    });
    await store.close();
  });

  test('a driver that is not installed: the message says what to install', async () => {
    const missing = (name: string) => ({ name, load: () => import(name) });
    const error = await loadDriver('Redis', [missing('no-such-a'), missing('no-such-b')]).catch(
      (cause: unknown) => cause,
    );
    expect(error).toMatchObject({ code: 'OQ114' });
    expect(String(error)).toBe(
      'TypeError: openStore: Redis needs a driver, and none is installed. Install no-such-a or no-such-b: npm install no-such-a',
    );
  });

  test('the first installed driver is used; one that fails to load is reported unchanged', async () => {
    const there = { name: 'there', load: async () => 'driver' } as const;
    const missing = { name: 'no-such-a', load: () => import('no-such-a' as string) } as const;
    expect(await loadDriver('Redis', [missing, there])).toEqual({ name: 'there', driver: 'driver' });
    const broken = { name: 'broken', load: () => Promise.reject(new Error('built for another Node')) } as const;
    await expect(loadDriver('Redis', [broken, there])).rejects.toThrow('built for another Node');
  });
});

test.each([
  ['redis://h', { kind: 'single', tls: false, hosts: [{ host: 'h', port: 6379 }], database: 0 }],
  [
    'rediss://u:p%40%2F@[::1]:1/7',
    { tls: true, username: 'u', password: 'p@/', hosts: [{ host: '::1', port: 1 }], database: 7 },
  ],
  ['redis://:p@h', { username: undefined, password: 'p' }],
  [
    'rediss+cluster://a:1,b',
    {
      kind: 'cluster',
      tls: true,
      hosts: [
        { host: 'a', port: 1 },
        { host: 'b', port: 6379 },
      ],
    },
  ],
  [
    'redis+sentinel://a,b:2/mm/3',
    {
      kind: 'sentinel',
      hosts: [
        { host: 'a', port: 26379 },
        { host: 'b', port: 2 },
      ],
      master: 'mm',
      database: 3,
    },
  ],
])('the URL %s', (url, parts) => {
  expect(parseRedisAddress(url)).toMatchObject(parts);
});

test('a repeated error is reported once a minute', () => {
  const report = vi.fn();
  const once = seldom(report);
  for (const message of ['a', 'a', 'b', 'a']) once(new Error(message));
  expect(report.mock.calls.map(([error]) => String(error))).toEqual(['Error: a', 'Error: b']);
});

describe('redisStore with a client', () => {
  const options = { lazyConnect: true } as const;
  const advice = (client: RedisClient): string[] => {
    const onWarning = vi.fn<(message: string) => void>();
    void redisStore({ client, onWarning, watchPolicy: false });
    return onWarning.mock.calls.map(([message]) => /set (.*) on the/.exec(message)?.[1] ?? message);
  };

  test('names settings that would repeat or delay commands', () => {
    expect(advice(new Redis(options))).toEqual([
      'maxRetriesPerRequest: 0, enableOfflineQueue: false, socketTimeout: 3000',
    ]);
    expect(advice(new Redis.Cluster(['redis://127.0.0.1:1'], options))).toEqual([
      'retryDelayOnFailover: 0, enableOfflineQueue: false, redisOptions.socketTimeout: 3000',
    ]);
    expect(advice(createClient())).toEqual(['disableOfflineQueue: true']);
  });

  test('is silent if they are right', () => {
    const right = { enableOfflineQueue: false, socketTimeout: 3_000 };
    expect(advice(new Redis({ ...options, ...right, maxRetriesPerRequest: 0 }))).toEqual([]);
    expect(advice(new Redis({ ...options, ...right, autoResendUnfulfilledCommands: false }))).toEqual([]);
    const cluster = { ...options, enableOfflineQueue: false, retryDelayOnFailover: 0, redisOptions: right };
    expect(advice(new Redis.Cluster(['redis://127.0.0.1:1'], cluster))).toEqual([]);
    expect(advice(createClient({ disableOfflineQueue: true }))).toEqual([]);
  });

  test('rejects an object that is not a client', () => {
    expect(() => redisStore({})).toThrow(/{ client } or { sendCommand }/);
    expect(() => redisStore({ client: {} as RedisClient })).toThrow(/must be a client of node-redis or ioredis/);
  });
});
