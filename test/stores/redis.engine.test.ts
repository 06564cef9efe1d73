import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { openStore } from 'oauth-query/stores/open';
import { redisStore, type SendCommand } from 'oauth-query/stores/redis';
import { createClient, createCluster } from 'redis';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { describeEngine } from './engines/availability.js';
import { testContract } from './engines/contract.js';
import { noRedis, type RedisSentinel, startRedis, startRedisCluster, startRedisSentinel } from './engines/redis.js';

/** A client that sends every command twice and only gets the second result, as some do after a lost connection. */
async function sentTwice(url: string): Promise<Connection> {
  const { sendCommand, close } = await nodeRedis(url);
  return { sendCommand: async (args, key) => (await sendCommand(args, key), sendCommand(args, key)), close };
}

/** How a client is made, as the store's documentation says it. */
interface Connection {
  readonly sendCommand: SendCommand;
  close(): void;
}

async function nodeRedis(url: string): Promise<Connection> {
  const client = createClient({ url, disableOfflineQueue: true });
  client.on('error', () => undefined);
  await client.connect();
  return { sendCommand: (args) => client.sendCommand(args), close: () => client.destroy() };
}

async function ioredis(url: string): Promise<Connection> {
  const redis = new Redis(url, { enableOfflineQueue: false, maxRetriesPerRequest: 0, lazyConnect: true });
  redis.on('error', () => undefined);
  await redis.connect();
  return { sendCommand: ([name = '', ...rest]) => redis.call(name, ...rest), close: () => redis.disconnect() };
}

async function nodeRedisCluster(urls: readonly string[]): Promise<Connection> {
  const cluster = createCluster({ rootNodes: urls.map((url) => ({ url })) });
  cluster.on('error', () => undefined);
  await cluster.connect();
  return { sendCommand: (args, key) => cluster.sendCommand(key, false, args), close: () => cluster.destroy() };
}

async function ioredisCluster(urls: readonly string[]): Promise<Connection> {
  const cluster = new Redis.Cluster([...urls], { lazyConnect: true });
  cluster.on('error', () => undefined);
  await cluster.connect();
  return { sendCommand: ([name = '', ...rest]) => cluster.call(name, ...rest), close: () => cluster.disconnect() };
}

function contract(title: string, connect: () => Promise<Connection>, cases?: 'of drivers'): void {
  describe(title, () => {
    let connection: Connection;
    beforeAll(async () => {
      connection = await connect();
    });
    afterAll(() => connection?.close());
    testContract(() => {
      const prefix = `oauth-query-test:${randomUUID()}:`;
      const used = new Set<string>();
      return {
        open: (clock) =>
          redisStore({
            sendCommand: (args, key) => connection.sendCommand(args, key && used.add(key) ? key : undefined),
            prefix,
            clock,
            timeout: 10_000, // thousands of calls at once, on a machine that may be busy
          }),
        // The server may contain other data.
        remove: async () => void (await Promise.all([...used].map((key) => connection.sendCommand(['DEL', key], key)))),
      };
    }, cases);
  });
}

/** A second limit for each command, besides that of the store, would double the cost of a request. */
const testSignals = (address: () => string): void =>
  test('openStore with node-redis makes no signal for a command', async () => {
    const store = await openStore(address(), { driver: 'redis', prefix: `${randomUUID()}:`, timeout: 10_000 });
    const signals = vi.spyOn(AbortSignal, 'timeout');
    try {
      expect(await store.add('key', {}, Date.now() + 60_000)).toBe(true);
      expect(await store.get('key')).toEqual({});
      expect(signals).not.toHaveBeenCalled();
    } finally {
      signals.mockRestore();
      await store.close();
    }
  });

describeEngine('Redis: the contract', process.env['REDIS_URL'] ? undefined : noRedis, () => {
  let url = process.env['REDIS_URL'] ?? '';
  let remove: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    if (url !== '') return;
    ({ url, remove } = await startRedis());
  });
  afterAll(() => remove?.());

  contract('over node-redis', () => nodeRedis(url));
  contract('over ioredis', () => ioredis(url), 'of drivers');
  contract('over a client that sends everything twice', () => sentTwice(url));
  testSignals(() => url);
});

describeEngine('Redis Cluster of three masters with replicas: the contract', noRedis, () => {
  let cluster: Awaited<ReturnType<typeof startRedisCluster>>;
  beforeAll(async () => {
    cluster = await startRedisCluster({ replicas: true });
  });
  afterAll(() => cluster?.remove());

  contract('over node-redis', () => nodeRedisCluster(cluster.urls));
  contract('over ioredis', () => ioredisCluster(cluster.urls), 'of drivers');
  testSignals(() => cluster.address);
});

describeEngine('Sentinel: the contract', noRedis, () => {
  let sentinel: RedisSentinel;
  beforeAll(async () => {
    sentinel = await startRedisSentinel();
  });
  afterAll(() => sentinel?.remove());

  testSignals(() => sentinel.address);

  describe.each(['redis', 'ioredis'] as const)('by its URL, %s', (driver) => {
    testContract(() => {
      const prefix = `${randomUUID()}:`;
      return {
        open: (clock) =>
          openStore(sentinel.address, { driver, prefix, clock, timeout: 10_000, onError: () => undefined }),
      };
    }, 'of drivers');
  });
});
