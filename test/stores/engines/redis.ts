import { createClient } from 'redis';
import { findProgram, freePort, startDaemon, temporaryDirectory, type Daemon } from './daemon.js';

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
  remove(): Promise<void>;
}

const SLOTS = 16_384;

/** Three masters that share the slots, without replicas. */
export async function startRedisCluster(): Promise<RedisCluster> {
  const masters = [await startClusterNode(), await startClusterNode(), await startClusterNode()];
  const [first] = masters;
  for (const [index, { url }] of masters.entries()) {
    const from = Math.floor((index * SLOTS) / masters.length);
    const to = Math.floor(((index + 1) * SLOTS) / masters.length) - 1;
    await command(url, 'CLUSTER', 'ADDSLOTSRANGE', String(from), String(to));
    await command(url, 'CLUSTER', 'SET-CONFIG-EPOCH', String(index + 1));
    if (first) await command(url, 'CLUSTER', 'MEET', '127.0.0.1', String(first.port), String(first.busPort));
  }
  const deadline = Date.now() + 20_000;
  for (const { url } of masters) {
    while (!/cluster_state:ok[^]*cluster_known_nodes:3/.test(String(await command(url, 'CLUSTER', 'INFO')))) {
      if (Date.now() > deadline) throw new Error('the cluster did not come together');
    }
  }
  return {
    urls: masters.map(({ url }) => url),
    masters,
    remove: async () => void (await Promise.all(masters.map((master) => master.remove()))),
  };
}

async function startClusterNode(): Promise<RedisServer & { busPort: number }> {
  const busPort = await freePort();
  const server = await startRedis(
    '--cluster-enabled',
    'yes',
    '--cluster-port',
    String(busPort),
    '--cluster-node-timeout',
    '2000',
  );
  return { ...server, busPort };
}

/** One command over a connection of its own. */
export async function command(url: string, ...args: string[]): Promise<unknown> {
  const client = createClient({ url });
  client.on('error', () => undefined); // the call itself rejects
  await client.connect();
  try {
    return await client.sendCommand(args);
  } finally {
    client.destroy();
  }
}
