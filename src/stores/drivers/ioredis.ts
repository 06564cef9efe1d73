import type { Cluster, Redis } from 'ioredis';
import { defined } from '../../core/base/defined.js';
import { adaptClient } from '../redis-client.js';
import { type Connecting, reconnectDelay, type RedisConnection, silenceOf } from './connection.js';

type Ioredis = Pick<typeof import('ioredis'), 'Redis' | 'Cluster'>;

/** Connects with ioredis. */
export function connectIoredis(ioredis: Ioredis, connecting: Connecting): RedisConnection {
  const client = makeClient(ioredis, connecting);
  client.on('error', connecting.onError);
  // A failed first attempt rejects, and the client retries.
  const connected = 'nodes' in client ? everyNodeOf(client) : new Promise((resolve) => client.once('ready', resolve));
  client.connect().catch(() => undefined);
  let closed = false;
  // If a sentinel announces a failover while the client looks for the master, the client would end for good.
  client.on('end', () => {
    if (!closed) setTimeout(() => void client.connect().catch(() => undefined), reconnectDelay(1)).unref();
  });
  return {
    client: adaptClient(client),
    connected,
    close() {
      closed = true;
      client.disconnect();
    },
  };
}

/**
 * Resolves when the client has tried to connect to every node of the cluster. A node without a connection queues a single command
 * and rejects all others, so this connects to each node as soon as it is known.
 */
function everyNodeOf(cluster: Cluster): Promise<unknown> {
  const attempts = new Set<Promise<void>>();
  const connect = async (node: Redis): Promise<void> => {
    // A node created for a command connects by itself and sends it.
    await Promise.resolve();
    if (node.status === 'wait') await node.connect();
  };
  cluster.on('+node', (node: Redis) => {
    const attempt = connect(node).catch(() => undefined);
    attempts.add(attempt);
    void attempt.then(() => attempts.delete(attempt));
  });
  return new Promise((resolve) => cluster.once('ready', resolve)).then(() => Promise.all(attempts));
}

/** Like node-redis: a lost connection is restored at once, and only a failed attempt is waited for. `times` begins at 1. */
const retryStrategy = (times: number): number => (times === 1 ? 0 : reconnectDelay(times - 2));

function makeClient(ioredis: Ioredis, { address, timeout }: Connecting): Redis | Cluster {
  const { kind, tls, hosts, username, password, database, master } = address;
  const common = {
    ...defined({ username, password }),
    ...(tls && { tls: {} }),
    connectTimeout: timeout,
    socketTimeout: silenceOf(timeout),
    keepAlive: 10_000,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
  };
  const single = {
    ...common,
    db: database,
    enableOfflineQueue: false,
    lazyConnect: true,
    retryStrategy,
  };
  if (kind === 'single') return new ioredis.Redis({ ...single, ...hosts[0] });
  if (kind === 'sentinel') {
    return new ioredis.Redis({
      ...single,
      sentinels: [...hosts],
      name: master,
      sentinelCommandTimeout: timeout,
      sentinelRetryStrategy: retryStrategy,
      enableTLSForSentinelMode: tls,
      ...(tls && { sentinelTLS: {} }),
      // Learns of a new master immediately, not only when the old one closes its connections.
      failoverDetector: true,
    });
  }
  return new ioredis.Cluster([...hosts], {
    lazyConnect: true,
    enableOfflineQueue: false,
    // It asks one node that is still connecting, and starts over if that cannot answer yet.
    enableReadyCheck: false,
    clusterRetryStrategy: retryStrategy,
    // Unanswered commands are not resent; only redirections are followed.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    slotsRefreshTimeout: timeout,
    slotsRefreshInterval: 2_000,
    redisOptions: common,
  });
}
