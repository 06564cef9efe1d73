import { Redis } from 'ioredis';
import { redisStore, type RedisClient, type RedisStore } from 'oauth-query/stores/redis';
import { createCluster } from 'redis';

/**
 * A store over a cluster client with the settings that its library has by itself. ioredis then sends commands again.
 *
 * @param address - As `openStore` takes it.
 */
export async function ownCluster(address: string, driver: string | undefined): Promise<RedisStore> {
  const hosts = address.replace('redis+cluster://', '').split(',');
  const client = driver === 'ioredis' ? await ioredis(hosts) : await nodeRedis(hosts);
  return redisStore({ client, onWarning: () => undefined, timeout: 10_000 });
}

async function ioredis(hosts: readonly string[]): Promise<RedisClient> {
  const cluster = new Redis.Cluster(
    hosts.map((host) => `redis://${host}`),
    { lazyConnect: true },
  );
  cluster.on('error', () => undefined);
  await cluster.connect();
  return cluster;
}

async function nodeRedis(hosts: readonly string[]): Promise<RedisClient> {
  const cluster = createCluster({ rootNodes: hosts.map((host) => ({ url: `redis://${host}` })) });
  cluster.on('error', () => undefined);
  await cluster.connect();
  return cluster;
}
