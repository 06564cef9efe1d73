import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { redisStore, type RedisStore, type SendCommand } from 'oauth-query/stores/redis';
import { describeEngine } from './engines/availability.js';
import { expectRecovery, expectRefusal, freshKey, testServerFaults, TIMEOUT_MS } from './engines/fault-cases.js';
import { command, noRedis, startRedis, type RedisServer } from './engines/redis.js';

const LATER = () => Date.now() + 3_600_000;

describeEngine('Redis in trouble', noRedis, () => {
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

  test('full: add rejects, what is there stays, and there is room again after a delete', async () => {
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

  test('answering errors: a replica refuses writes; a master again, it takes them', async () => {
    await command(server.url, 'REPLICAOF', '127.0.0.1', '1');
    await expect(overNodeRedis.add(freshKey(), {}, LATER())).rejects.toThrow(/READONLY|replica/);
    await expect(overNodeRedis.delete(freshKey())).rejects.toThrow(/READONLY|replica/);
    await command(server.url, 'REPLICAOF', 'NO', 'ONE');
    await expectRecovery(overNodeRedis);
  });

  test('check rejects a Redis that forgets live records, and one that is away', async () => {
    await overNodeRedis.check();
    await command(server.url, 'CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
    await expect(overNodeRedis.check()).rejects.toThrow(/allkeys-lru.*noeviction/);
    await command(server.url, 'CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
    await server.kill();
    await expect(overNodeRedis.check()).rejects.toThrow();
    await server.start();
    await expectRecovery(overNodeRedis);
  });

  test('Redis forgets a record by itself, two minutes after its deadline', async () => {
    const key = freshKey();
    await overNodeRedis.add(key, {}, Date.now() + 10_000);
    const life = Number(await command(server.url, 'PTTL', `oauth:${key}`));
    expect(life).toBeGreaterThan(125_000);
    expect(life).toBeLessThanOrEqual(130_000);
  });
});

describe('a Redis client that answers nonsense', () => {
  const NONSENSE = expect.objectContaining({ code: 'STORE_ANSWER' });
  const answering = (answer: unknown) => redisStore({ sendCommand: () => Promise.resolve(answer) });

  test.each([[null], ['OK'], ['1'], [2], [undefined], [true]])('add does not take %j for an answer', async (answer) => {
    await expect(answering(answer).add('a', {}, LATER())).rejects.toEqual(NONSENSE);
  });

  test.each([
    [undefined],
    [1],
    ['no record'],
    [Buffer.from('1 {}')],
    [`${LATER()} 5`],
    [`${LATER()} {"a":`],
    [`${LATER()}{}`],
    ['NaN {}'],
  ])('nor does get %j', async (answer) => {
    await expect(answering(answer).get('a')).rejects.toEqual(NONSENSE);
  });

  test('nor does delete', async () => {
    await expect(answering('QUEUED').delete('a')).rejects.toEqual(NONSENSE);
  });

  test('a client that throws instead of rejecting rejects', async () => {
    const sendCommand: SendCommand = () => {
      throw new Error('closed');
    };
    await expectRefusal(redisStore({ sendCommand }));
  });
});
