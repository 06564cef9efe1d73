import { setTimeout as sleep } from 'node:timers/promises';
import { defined } from '../../core/base/defined.js';
import { adaptClient } from '../redis-client.js';
import { StoreError } from '../store-error.js';
import { within } from '../within.js';
import { type Connecting, reconnectDelay, type RedisConnection, silenceOf } from './connection.js';

/** Milliseconds between two pings. */
const PING_EVERY_MS = 1_000;

/** Milliseconds before a new client may be replaced too; longer each time, as long as nothing is answered. */
const PATIENCE_MS = 1_000;
const MAX_PATIENCE_MS = 5_000;

/** The store has a limit of its own for each call, and pings end what is stuck. A signal per command would be half of the work of a request. */
const NO_LIMIT = { timeout: 0 };

/**
 * Connects with node-redis. Its `socketTimeout` treats outgoing data as activity, so a busy connection that is never answered
 * would stay open: pings detect this, and the client is replaced.
 */
export function connectNodeRedis(redis: typeof import('redis'), connecting: Connecting): RedisConnection {
  let current = start(redis, connecting);
  let patience = PATIENCE_MS;
  let startedAt = performance.now();
  const ping = async (): Promise<void> => {
    const asked = current;
    try {
      await within(silenceOf(connecting.timeout), 'Redis', () => asked.client.askMasters(['PING']));
      patience = PATIENCE_MS;
    } catch (error) {
      // A client that fails immediately is already reconnecting.
      const isSilent = error instanceof StoreError && error.code === 'STORE_TIMEOUT';
      if (!isSilent || asked !== current || performance.now() - startedAt < patience) return;
      patience = Math.min(patience * 2, MAX_PATIENCE_MS);
      connecting.onError(new Error('Redis does not answer any more; the client is replaced', { cause: error }));
      current.close();
      current = start(redis, connecting);
      startedAt = performance.now();
    }
  };
  let timer: NodeJS.Timeout;
  let closed = false;
  const pingLater = (): void => {
    if (!closed) timer = setTimeout(() => void ping().then(pingLater), PING_EVERY_MS).unref();
  };
  pingLater();
  return {
    client: {
      sendCommand: (args, key) => current.client.sendCommand(args, key),
      askMasters: (args) => current.client.askMasters(args),
      advice: undefined,
    },
    connected: current.connected,
    close() {
      closed = true;
      clearTimeout(timer);
      current.close();
    },
  };
}

function start(redis: typeof import('redis'), connecting: Connecting): RedisConnection {
  const client = makeClient(redis, connecting);
  client.on('error', connecting.onError);
  let closed = false;
  const connect = async (): Promise<void> => {
    for (let attempt = 0; !closed; attempt += 1) {
      try {
        await client.connect();
        return;
      } catch (error) {
        if (closed) return;
        // A single client retries by itself; a cluster whose first nodes are all unreachable gives up.
        connecting.onError(error);
        await sleep(reconnectDelay(attempt), undefined, { ref: false });
      }
    }
  };
  return {
    client: adaptClient(client),
    connected: connect(),
    close() {
      closed = true;
      if (client.isOpen) void client.destroy();
    },
  };
}

function makeClient(redis: typeof import('redis'), { address, timeout }: Connecting) {
  const { kind, tls, hosts, username, password, database, master } = address;
  const socket = {
    connectTimeout: timeout,
    // For the first commands of a connection; later ones count as activity.
    socketTimeout: silenceOf(timeout) + PING_EVERY_MS,
    reconnectStrategy: reconnectDelay,
    ...(tls && { tls: true as const }),
  };
  const common = {
    ...defined({ username, password }),
    disableOfflineQueue: true,
    commandOptions: NO_LIMIT,
    socket,
  };
  if (kind === 'single') return redis.createClient({ ...common, database, socket: { ...socket, ...hosts[0] } });
  if (kind === 'cluster') {
    return redis.createCluster({
      commandOptions: NO_LIMIT,
      rootNodes: hosts.map((host) => ({ ...common, socket: { ...socket, ...host } })),
      defaults: common,
      // Soon after a failover, not only after a misdirected command.
      topologyRefreshOnReconnectionAttemptStrategy: 500,
    });
  }
  return redis.createSentinel({
    commandOptions: NO_LIMIT,
    name: master,
    sentinelRootNodes: [...hosts],
    nodeClientOptions: { ...common, database },
    sentinelClientOptions: { disableOfflineQueue: true, socket },
    scanInterval: PING_EVERY_MS,
    passthroughClientErrorEvents: true,
  });
}
