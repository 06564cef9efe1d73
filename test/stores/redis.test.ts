import { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import { createClient, createCluster } from 'redis';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { redisStore, type SendCommand } from 'oauth-query/stores/redis';
import { storeContract } from 'oauth-query/testing';
import { describeEngine } from './engines/availability.js';
import { noRedis, startRedis, startRedisCluster } from './engines/redis.js';

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

function contract(title: string, connect: () => Promise<Connection>): void {
  describe(title, () => {
    let connection: Connection;
    beforeAll(async () => {
      connection = await connect();
    });
    afterAll(() => connection?.close());
    const places = storeContract(() => {
      const prefix = `oauth-query-test:${randomUUID()}:`;
      const used = new Set<string>();
      return {
        open: (clock) =>
          redisStore({
            sendCommand: (args, key) => connection.sendCommand(args, key && used.add(key) ? key : undefined),
            prefix,
            clock,
          }),
        // The server may be somebody's own.
        remove: async () => void (await Promise.all([...used].map((key) => connection.sendCommand(['DEL', key], key)))),
      };
    });
    for (const { name, run } of places) test(name, run);
  });
}

describeEngine('Redis: the contract', process.env['REDIS_URL'] ? undefined : noRedis, () => {
  let url = process.env['REDIS_URL'] ?? '';
  let remove: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    if (url !== '') return;
    ({ url, remove } = await startRedis());
  });
  afterAll(() => remove?.());

  contract('over node-redis', () => nodeRedis(url));
  contract('over ioredis', () => ioredis(url));
});

describeEngine('Redis Cluster of three masters: the contract', noRedis, () => {
  let cluster: Awaited<ReturnType<typeof startRedisCluster>>;
  beforeAll(async () => {
    cluster = await startRedisCluster();
  });
  afterAll(() => cluster?.remove());

  contract('over node-redis', () => nodeRedisCluster(cluster.urls));
  contract('over ioredis', () => ioredisCluster(cluster.urls));
});
