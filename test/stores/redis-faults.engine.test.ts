import { Redis } from 'ioredis';
import { redisStore, type RedisStore, type SendCommand } from 'oauth-query/stores/redis';
import { createClient } from 'redis';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { everyRow } from '../rows.js';
import { describeEngine } from './engines/availability.js';
import { expectRecovery, expectRefusal, freshKey, testServerFaults, TIMEOUT_MS } from './engines/fault-cases.js';
import { command, noRedis, startRedis, type RedisServer } from './engines/redis.js';

const LATER = () => Date.now() + 3_600_000;

describeEngine('failures of Redis', noRedis, () => {
  let server: RedisServer;
  const clients: { close(): void }[] = [];
  let overNodeRedis: RedisStore;
  let overIoredis: RedisStore;

  beforeAll(async () => {
    server = await startRedis();
    const client = createClient({ url: server.url, disableOfflineQueue: true });
    client.on('error', () => undefined);
    await client.connect();
    clients.push({ close: () => client.destroy() });
    overNodeRedis = redisStore({ sendCommand: (args) => client.sendCommand(args), timeout: TIMEOUT_MS });
    const redis = new Redis(server.url, { enableOfflineQueue: false, maxRetriesPerRequest: 0, lazyConnect: true });
    redis.on('error', () => undefined);
    await redis.connect();
    clients.push({ close: () => redis.disconnect() });
    overIoredis = redisStore({
      sendCommand: ([name = '', ...rest]) => redis.call(name, ...rest),
      timeout: TIMEOUT_MS,
    });
  });
  afterAll(async () => {
    for (const client of clients) client.close();
    await server?.remove();
  });

  // Each client waits a little longer after each vain try to connect.
  beforeEach(async () => {
    await expectRecovery(overNodeRedis);
    await expectRecovery(overIoredis);
  });

  describe('over node-redis', () =>
    testServerFaults(
      () => server,
      () => overNodeRedis,
    ));
  describe('over ioredis', () =>
    testServerFaults(
      () => server,
      () => overIoredis,
    ));

  test('full: add rejects, existing records stay, and there is space again after a delete', async () => {
    const key = freshKey();
    await overNodeRedis.add(key, { is: 'kept' }, LATER());
    await command(server.url, 'CONFIG', 'SET', 'maxmemory', '1');
    await expect(overNodeRedis.add(freshKey(), {}, LATER())).rejects.toThrow(/OOM/);
    expect(await overNodeRedis.get(key)).toEqual({ is: 'kept' });
    await overNodeRedis.delete(key);
    expect(await overNodeRedis.get(key)).toBeUndefined();
    await command(server.url, 'CONFIG', 'SET', 'maxmemory', '0');
    await expectRecovery(overNodeRedis);
  });

  test('errors: a replica rejects writes; as a master again, it accepts them', async () => {
    await command(server.url, 'REPLICAOF', '127.0.0.1', '1');
    await expect(overNodeRedis.add(freshKey(), {}, LATER())).rejects.toThrow(/READONLY|replica/);
    await expect(overNodeRedis.delete(freshKey())).rejects.toThrow(/READONLY|replica/);
    await expect(overNodeRedis.check()).rejects.toMatchObject({
      message: expect.stringContaining('replica'),
      code: 'OQ115',
    });
    await command(server.url, 'REPLICAOF', 'NO', 'ONE');
    await expectRecovery(overNodeRedis);
  });

  test('check rejects a server that does not report its eviction policy', async () => {
    for (const answer of ['# Memory\r\nused_memory:1\r\n', '', null])
      await expect(redisStore({ sendCommand: async () => answer }).check()).rejects.toThrow(/proves nothing/);
  });

  test('check rejects a Redis that may evict live records, and an unreachable one', async () => {
    await overNodeRedis.check();
    await command(server.url, 'CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
    await expect(overNodeRedis.check()).rejects.toThrow(/allkeys-lru.*noeviction/);
    await expect(overNodeRedis.add(freshKey(), {}, LATER())).rejects.toMatchObject({ code: 'STORE_EVICTS' });
    expect(await overNodeRedis.get(freshKey())).toBeUndefined();
    await command(server.url, 'CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
    await overNodeRedis.check();
    expect(await overNodeRedis.add(freshKey(), {}, LATER())).toBe(true);
    await server.kill();
    await expect(overNodeRedis.check()).rejects.toThrow();
    await server.start();
    await expectRecovery(overNodeRedis);
  });

  test('a policy that is changed later is reported once, and add rejects until it is changed back', async () => {
    const onError = vi.fn();
    const client = createClient({ url: server.url, disableOfflineQueue: true });
    await client.connect();
    const store = redisStore({ client, watchPolicy: 20, onError });
    const careless = redisStore({ client, watchPolicy: false });
    const add = (): Promise<unknown> => store.add(freshKey(), {}, LATER()).catch((error: unknown) => error);
    expect(await add()).toBe(true);
    await command(server.url, 'CONFIG', 'SET', 'maxmemory-policy', 'volatile-ttl');
    await expect.poll(add, { timeout: 10_000 }).toMatchObject({ code: 'STORE_EVICTS' });
    expect(await careless.add(freshKey(), {}, LATER())).toBe(true);
    await command(server.url, 'CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
    await expect.poll(add, { timeout: 10_000 }).toBe(true);
    expect(onError).toHaveBeenCalledTimes(1);
    expect(onError).toHaveBeenCalledWith(expect.objectContaining({ code: 'STORE_EVICTS' }));
    await store.close();
    client.destroy();
  });

  test('Redis removes an expired record itself, two minutes after its deadline', async () => {
    const key = freshKey();
    await overNodeRedis.add(key, {}, Date.now() + 10_000);
    const life = Number(await command(server.url, 'PTTL', `oauth:${key}`));
    expect(life).toBeGreaterThan(125_000);
    expect(life).toBeLessThanOrEqual(130_000);
  });
});

describe('getMany on Redis', () => {
  test.each([
    [['{a}1', '{a}2', '{a}1'], 'keys of one tag are one command', [['x:{a}1', 'x:{a}2']]],
    [['g:{a}', 's:{a}:1', 'g:{b}'], 'two tags are two', [['x:g:{a}', 'x:s:{a}:1'], ['x:g:{b}']]],
    [['a', 'b'], 'keys without a tag are asked one by one', [['x:a'], ['x:b']]],
    [
      ['{}{a}', '{b}{a}', 'x{b', 'x{b}'],
      'the tag is in the first pair of braces',
      [['x:{}{a}'], ['x:{b}{a}', 'x:x{b}'], ['x:x{b']],
    ],
    [[], 'no key is no command', []],
  ])('%j: %s', async (keys, _title, commands) => {
    const sent: string[][] = [];
    const store = redisStore({
      prefix: 'x:',
      sendCommand: async ([name, ...names], key) => {
        expect([name, key]).toEqual(['MGET', names[0]]);
        sent.push(names);
        return names.map(() => null);
      },
    });
    expect(await store.getMany(keys)).toEqual(keys.map(() => undefined));
    expect(sent).toEqual(commands);
  });
});

describe('a Redis client with invalid results', () => {
  const NONSENSE = expect.objectContaining({ code: 'STORE_ANSWER' });
  const answering = (answer: unknown) => redisStore({ sendCommand: () => Promise.resolve(answer) });

  test('no method accepts another answer', async () => {
    await everyRow([null, 'OK', '1', 2, undefined, true], (answer) =>
      expect(answering(answer).add('a', {}, LATER())).rejects.toEqual(NONSENSE),
    );
    const records = [undefined, 1, 'no record', Buffer.from('1 n {}'), `${LATER()} n 5`, `${LATER()} n {"a":`];
    await everyRow([...records, `${LATER()} {}`, 'NaN n {}'], (answer) =>
      expect(answering(answer).get('a')).rejects.toEqual(NONSENSE),
    );
    await everyRow([null, [], [null], 'QUEUED', [1, null]], (answer) =>
      expect(answering(answer).getMany(['{a}1', '{a}2'])).rejects.toEqual(NONSENSE),
    );
    await expect(answering('QUEUED').delete('a')).rejects.toEqual(NONSENSE);
  });

  test('a client that throws instead of rejecting rejects', async () => {
    const sendCommand: SendCommand = () => {
      throw new Error('closed');
    };
    await expectRefusal(redisStore({ sendCommand }));
  });
});
