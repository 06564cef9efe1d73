import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from 'redis';
import { findProgram, freePort, startDaemon, temporaryDirectory, type Daemon } from './daemon.js';
import { type Proxy, startProxy } from './proxy.js';

const program = findProgram('redis-server');

/** Why no Redis can be started here, if so. */
export const noRedis = program === undefined ? 'there is no redis-server in PATH' : undefined;

export interface RedisServer extends Daemon {
  readonly url: string;
}

/** A Redis of our own that keeps nothing on disk. */
export async function startRedis(...settings: string[]): Promise<RedisServer> {
  if (program === undefined) throw new Error(noRedis);
  const port = await freePort();
  const directory = temporaryDirectory();
  const daemon = await startDaemon({
    file: program,
    args: [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--dir',
      directory,
      '--save',
      '',
      '--appendonly',
      'no',
      ...settings,
    ],
    port,
    directory,
    ready: /Ready to accept connections/,
  });
  return { ...daemon, url: `redis://127.0.0.1:${port}` };
}

export interface RedisCluster {
  readonly urls: readonly string[];
  readonly masters: readonly RedisServer[];
  /** One per master, in the same order; none unless wanted. */
  readonly replicas: readonly RedisServer[];
  /** What clients pass through on the way to each node, if that is wanted. */
  readonly proxies: readonly Proxy[];
  /** Where to find it, for `openStore`. */
  readonly address: string;
  /** The first master dies; what it had acknowledged has reached its replica, which takes over. */
  failOver(): Promise<void>;
  remove(): Promise<void>;
}

const SLOTS = 16_384;

/** Milliseconds after which a master counts as dead, until one is to die: on a busy machine a live one may be slow to answer. */
const PATIENCE_MS = 60_000;

/** Three masters that share the slots, each with a replica where that is wanted. */
export async function startRedisCluster(
  options: { replicas?: boolean; proxied?: boolean } = {},
): Promise<RedisCluster> {
  const proxies: Proxy[] = [];
  const startNode = async (): Promise<ClusterNode> => {
    if (options.proxied !== true) return startClusterNode();
    let port = 0;
    const proxy = await startProxy(() => port);
    proxies.push(proxy);
    const node = await startClusterNode('--cluster-announce-port', String(proxy.port));
    ({ port } = node);
    return node;
  };
  const masters = [await startNode(), await startNode(), await startNode()];
  const replicas = options.replicas === true ? await Promise.all(masters.map(startNode)) : [];
  const all = [...masters, ...replicas];
  const [first] = masters;
  for (const [index, { url }] of all.entries()) {
    await command(url, 'CLUSTER', 'SET-CONFIG-EPOCH', String(index + 1));
    if (first) await command(url, 'CLUSTER', 'MEET', '127.0.0.1', String(first.port), String(first.busPort));
  }
  for (const [index, { url }] of masters.entries()) {
    const from = Math.floor((index * SLOTS) / masters.length);
    const to = Math.floor(((index + 1) * SLOTS) / masters.length) - 1;
    await command(url, 'CLUSTER', 'ADDSLOTSRANGE', String(from), String(to));
  }
  const info = async (url: string): Promise<string> => String(await command(url, 'CLUSTER', 'INFO'));
  const know = new RegExp(`cluster_state:ok[^]*cluster_known_nodes:${all.length}\\b`);
  for (const { url } of all) await until(async () => know.test(await info(url)), 'the cluster did not come together');
  for (const [index, { url }] of replicas.entries()) {
    const id = String(await command(masters[index]?.url ?? '', 'CLUSTER', 'MYID'));
    await until(async () => (await command(url, 'CLUSTER', 'REPLICATE', id)) === 'OK', 'no replica');
    await until(async () => /master_link_status:up/.test(String(await command(url, 'INFO', 'replication'))), 'no link');
  }
  const setTimeouts = async (nodes: readonly ClusterNode[], milliseconds: number): Promise<void> => {
    for (const { url } of nodes) await command(url, 'CONFIG', 'SET', 'cluster-node-timeout', String(milliseconds));
  };
  // They found each other faster with a short one.
  await setTimeouts(all, PATIENCE_MS);
  return {
    urls: masters.map(({ url }) => url),
    masters,
    replicas,
    proxies,
    address: `redis+cluster://${(options.proxied === true ? proxies : masters)
      .slice(0, 3)
      .map(({ port }) => `127.0.0.1:${port}`)
      .join(',')}`,
    async failOver() {
      if (!first) return;
      await killReplicated(first);
      await setTimeouts(
        all.filter((node) => node !== first),
        2_000,
      );
    },
    remove: async () =>
      void (await Promise.all([...all.map((node) => node.remove()), ...proxies.map((proxy) => proxy.close())])),
  };
}

/** Asks again and again, for 30 seconds. */
export async function until(isSo: () => Promise<boolean>, otherwise: string, seconds = 30): Promise<void> {
  const deadline = performance.now() + seconds * 1_000;
  while (!(await isSo().catch(() => false))) {
    if (performance.now() > deadline) throw new Error(otherwise);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** It dies; whatever it had acknowledged has reached its replica. */
async function killReplicated(master: RedisServer): Promise<void> {
  await command(master.url, 'CLIENT', 'PAUSE', '60000', 'WRITE');
  await untilReplicated(master);
  await master.kill();
}

/** Every record has reached the replica. */
async function untilReplicated({ url }: RedisServer): Promise<void> {
  await until(async () => {
    const info = String(await command(url, 'INFO', 'replication'));
    const [, offset] = /master_repl_offset:(\d+)/.exec(info) ?? [];
    return offset !== undefined && info.includes(`offset=${offset}`);
  }, 'nothing was replicated');
}

interface ClusterNode extends RedisServer {
  readonly busPort: number;
}

async function startClusterNode(...settings: string[]): Promise<ClusterNode> {
  const busPort = await freePort();
  const server = await startRedis(
    '--cluster-enabled',
    'yes',
    '--cluster-port',
    String(busPort),
    '--cluster-node-timeout',
    '2000',
    '--cluster-replica-validity-factor',
    '0',
    '--repl-diskless-sync-delay',
    '0',
    ...settings,
  );
  return { ...server, busPort };
}

export interface RedisSentinel {
  readonly master: RedisServer;
  readonly replica: RedisServer;
  /** Where to find it, for `openStore`. */
  readonly address: string;
  /** The master dies; what it had acknowledged has reached its replica, which takes over. */
  failOver(): Promise<void>;
  remove(): Promise<void>;
}

/**
 * Sentinels that a busy machine stops for two seconds do nothing for the next 30 (TILT), and then only choose a replica whose link
 * has been down for less than ten times this long. With a second, they would never choose one again.
 */
const DOWN_AFTER_MS = 5_000;

/** A master with a replica, and three sentinels who watch them. */
export async function startRedisSentinel(): Promise<RedisSentinel> {
  const master = await startRedis();
  const replica = await startRedis('--replicaof', '127.0.0.1', String(master.port), '--repl-diskless-sync-delay', '0');
  await until(
    async () => /master_link_status:up/.test(String(await command(replica.url, 'INFO', 'replication'))),
    'no link',
  );
  const sentinels = await Promise.all([1, 2, 3].map(() => startSentinel(master.port)));
  for (const { port } of sentinels) {
    const state = async (): Promise<string> =>
      JSON.stringify(await command(`redis://127.0.0.1:${port}`, 'SENTINEL', 'MASTER', 'mymaster'));
    await until(
      async () => /"num-slaves":"?1\b|"num-slaves","1"/.test(await state()),
      'the sentinels do not know the replica',
    );
    await until(
      async () => /"num-other-sentinels":"?2\b|"num-other-sentinels","2"/.test(await state()),
      'the sentinels do not know each other',
    );
  }
  return {
    master,
    replica,
    address: `redis+sentinel://${sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}/mymaster`,
    async failOver() {
      await killReplicated(master);
      const SET = ['SENTINEL', 'SET', 'mymaster', 'down-after-milliseconds', String(DOWN_AFTER_MS)];
      await Promise.all(sentinels.map(({ port }) => command(`redis://127.0.0.1:${port}`, ...SET)));
    },
    remove: async () => void (await Promise.all([...sentinels, replica, master].map((one) => one.remove()))),
  };
}

async function startSentinel(masterPort: number): Promise<Daemon> {
  if (program === undefined) throw new Error(noRedis);
  const port = await freePort();
  const directory = temporaryDirectory();
  const file = join(directory, 'sentinel.conf');
  writeFileSync(
    file,
    [
      `port ${port}`,
      'bind 127.0.0.1',
      `dir ${directory}`,
      `sentinel monitor mymaster 127.0.0.1 ${masterPort} 2`,
      `sentinel down-after-milliseconds mymaster ${PATIENCE_MS}`,
      'sentinel failover-timeout mymaster 3000',
    ].join('\n'),
  );
  return startDaemon({ file: program, args: [file, '--sentinel'], port, directory, ready: /\+monitor master/ });
}

/** One command over a connection of its own. Rejects when the server is away, or does not answer for 10 seconds. */
export async function command(url: string, ...args: string[]): Promise<unknown> {
  const client = createClient({
    url,
    socket: { reconnectStrategy: false, connectTimeout: 10_000, socketTimeout: 10_000 },
  });
  client.on('error', () => undefined); // the call itself rejects
  await client.connect();
  try {
    return await client.sendCommand(args);
  } finally {
    client.destroy();
  }
}
