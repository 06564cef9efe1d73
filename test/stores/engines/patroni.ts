import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Daemon, findProgram, freePort, startDaemon, temporaryDirectory } from './daemon.js';
import { binDirectory, giveToOwner, noPostgres, owner } from './postgres.js';
import { type Proxy, startProxy } from './proxy.js';
import { until } from './redis.js';

const etcd = findProgram('etcd');
const patroni = findProgram('patroni');

/** Why no cluster of PostgreSQL can be started here, if so. */
export const noPatroni =
  noPostgres ?? (etcd === undefined || patroni === undefined ? 'there is no patroni, or no etcd, in PATH' : undefined);

/** A primary and a standby of PostgreSQL; Patroni promotes the standby when the primary ends. */
export interface PatroniCluster {
  /** For `openStore`: a proxy that leads to whatever node is the primary, as HAProxy does in front of Patroni. */
  readonly address: string;
  /** Whether the primary confirms what only it has. Waits until it is so. */
  setSynchronous(isSynchronous: boolean): Promise<void>;
  /** Waits until a standby follows. */
  ready(): Promise<void>;
  /** From now on nothing that the primary writes reaches its standby. */
  holdBack(): void;
  /** The primary ends without goodbye. Resolves when the other node is the primary. */
  crash(): Promise<void>;
  /** The nodes change places, as an operator does it for an upgrade. */
  switchOver(): Promise<void>;
  remove(): Promise<unknown>;
}

interface Node {
  readonly name: string;
  /** Of PostgreSQL. */
  readonly port: number;
  /** Of Patroni's interface for health checks and commands. */
  readonly control: number;
  /** Through which the other node copies from this one. */
  readonly replication: Proxy;
  readonly data: string;
  readonly daemon: Daemon;
}

export async function startPatroni(): Promise<PatroniCluster> {
  const remove: (() => Promise<unknown>)[] = [];
  const removeAll = async (): Promise<void> => {
    for (const one of remove.toReversed()) await one();
  };
  try {
    const store = await startEtcd();
    remove.push(() => store.remove());
    const nodes: Node[] = [];
    for (const name of ['a', 'b']) {
      const node = await startNode(name, store.port);
      nodes.push(node);
      remove.push(async () => {
        await node.daemon.remove();
        await node.replication.close();
      });
    }
    const front = await followPrimary(nodes);
    remove.push(() => front.close());
    const cluster = clusterOf(nodes, front.port, removeAll);
    await cluster.setSynchronous(true);
    return cluster;
  } catch (error) {
    await removeAll();
    throw error;
  }
}

function clusterOf(nodes: readonly Node[], port: number, remove: () => Promise<unknown>): PatroniCluster {
  let isSynchronous = true;
  const primary = async (): Promise<Node> => {
    for (const node of nodes) if (await isPrimary(node)) return node;
    throw new Error('there is no primary');
  };
  const ready = (): Promise<void> =>
    until(
      async () => {
        const { body } = await control(await primary(), 'GET', '/cluster');
        const { members } = JSON.parse(body) as { members: { role: string; lag?: number | string }[] };
        const follower = isSynchronous ? 'sync_standby' : 'replica';
        // A node that does not yet follow has no number here.
        return members.some(({ role, lag }) => role === follower && typeof lag === 'number');
      },
      'the nodes do not become one cluster',
      90,
    );
  const succeeded = (old: Node): Promise<void> =>
    until(async () => (await primary()) !== old, 'the other node did not become the primary', 60);
  return {
    address: `postgres://postgres:password@127.0.0.1:${port}/postgres`,
    async setSynchronous(wanted) {
      isSynchronous = wanted;
      const change = { synchronous_mode: wanted };
      await until(
        async () => (await control(await primary(), 'PATCH', '/config', change)).status === 200,
        'no primary',
      );
      await ready();
    },
    ready,
    holdBack() {
      for (const { replication } of nodes) replication.silence();
    },
    async crash() {
      const old = await primary();
      const [pid = ''] = readFileSync(join(old.data, 'postmaster.pid'), 'utf8').split('\n');
      // Its immediate shutdown: a crash for its clients, but no shared memory is left behind.
      process.kill(Number(pid), 'SIGQUIT');
      await succeeded(old);
    },
    async switchOver() {
      const old = await primary();
      await control(old, 'POST', '/switchover', { leader: old.name });
      await succeeded(old);
    },
    remove,
  };
}

async function startEtcd(): Promise<Daemon> {
  if (etcd === undefined) throw new Error(noPatroni);
  const port = await freePort();
  const directory = temporaryDirectory();
  const urlOf = (one: number): string => `http://127.0.0.1:${one}`;
  const peers = urlOf(await freePort());
  const settings = {
    'data-dir': directory,
    'listen-client-urls': urlOf(port),
    'advertise-client-urls': urlOf(port),
    'listen-peer-urls': peers,
    'initial-advertise-peer-urls': peers,
    'initial-cluster': `default=${peers}`,
    // Its log on disk may be lost: the test ends with the machine.
    'unsafe-no-fsync': 'true',
  };
  return startDaemon({
    file: etcd,
    args: Object.entries(settings).map(([name, value]) => `--${name}=${value}`),
    port,
    directory,
    ready: /ready to serve client requests/,
  });
}

async function startNode(name: string, etcdPort: number): Promise<Node> {
  if (patroni === undefined) throw new Error(noPatroni);
  const port = await freePort();
  const at = await freePort();
  const replication = await startProxy(() => port);
  const directory = temporaryDirectory();
  const data = join(directory, 'data');
  const config = join(directory, 'patroni.yml');
  // JSON is YAML.
  writeFileSync(
    config,
    JSON.stringify({
      scope: 'oauth',
      name,
      etcd3: { hosts: [`127.0.0.1:${etcdPort}`] },
      restapi: { listen: `127.0.0.1:${at}`, connect_address: `127.0.0.1:${at}` },
      bootstrap: {
        dcs: {
          ttl: 20,
          loop_wait: 1,
          retry_timeout: 3,
          // A primary that crashed is not started again first.
          primary_start_timeout: 0,
          maximum_lag_on_failover: 1e9,
          postgresql: { use_pg_rewind: true, parameters: { max_connections: 200 } },
        },
        initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'no-sync'],
      },
      postgresql: {
        listen: `127.0.0.1:${port}`,
        connect_address: `127.0.0.1:${replication.port}`,
        data_dir: data,
        bin_dir: binDirectory,
        pgpass: join(directory, 'pgpass'),
        authentication: {
          superuser: { username: 'postgres', password: 'password' },
          replication: { username: 'replicator', password: 'password' },
        },
        pg_hba: ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
        parameters: { unix_socket_directories: directory, fsync: 'off' },
        basebackup: [{ checkpoint: 'fast' }],
      },
    }),
  );
  giveToOwner(directory, config);
  const daemon = await startDaemon({
    file: patroni,
    args: [config],
    options: { ...owner, cwd: directory },
    port,
    directory,
    ready: /no action\. I am/,
    // It then ends its PostgreSQL, too.
    killSignal: 'SIGTERM',
  });
  return { name, port, control: at, replication, data, daemon };
}

const isPrimary = async (node: Node): Promise<boolean> =>
  (await control(node, 'GET', '/primary').catch(() => ({ status: 0 }))).status === 200;

/** Leads to the node that says that it is the primary; connections to another one end. */
async function followPrimary(nodes: readonly Node[]): Promise<Proxy> {
  let target: Node | undefined;
  const proxy = await startProxy(() => target?.port ?? 1);
  const look = async (): Promise<void> => {
    for (const node of nodes) {
      if (node === target || !(await isPrimary(node))) continue;
      target = node;
      proxy.cutAfter(0);
    }
  };
  await look();
  const timer = setInterval(() => void look(), 100).unref();
  return {
    ...proxy,
    close() {
      clearInterval(timer);
      return proxy.close();
    },
  };
}

/** A request to Patroni. */
function control(
  node: Node,
  method: string,
  path: string,
  body?: object,
): Promise<{ readonly status: number; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port: node.control, method, path, timeout: 5_000 }, (response) => {
      text(response).then((all) => resolve({ status: response.statusCode ?? 0, body: all }), reject);
    });
    sent.on('error', reject).on('timeout', () => sent.destroy(new Error('Patroni does not answer')));
    sent.end(body && JSON.stringify(body));
  });
}
