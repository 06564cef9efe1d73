import { existsSync } from 'node:fs';
import { findProgram, freePort } from './daemon.js';
import { type MariadbServer, mariadbQuery, noMariadb, recoveredPosition, startMariadb } from './mariadb.js';
import { until } from './redis.js';

const PROVIDER = ['/usr/lib/galera/libgalera_smm.so', '/usr/lib64/galera-4/libgalera_smm.so'].find((path) =>
  existsSync(path),
);

/** Why no Galera cluster can be started here, if so. */
export const noGalera =
  noMariadb ??
  (PROVIDER === undefined
    ? 'the Galera library is not installed'
    : findProgram('rsync') === undefined
      ? 'there is no rsync in PATH, which a node needs to join'
      : undefined);

/** A node of a cluster. */
export interface GaleraNode extends MariadbServer {
  /** Cuts the node off from the others; clients still reach it. */
  isolate(): Promise<void>;
  /** Ends the isolation. */
  rejoin(): Promise<void>;
  /** Ends it as an operator does, and starts it again. */
  restart(): Promise<void>;
}

export interface GaleraCluster {
  readonly nodes: readonly [GaleraNode, GaleraNode, GaleraNode];
  /** For `openStore`: all three nodes, beginning with a different one each time. */
  readonly addresses: readonly string[];
  /** Waits until so many nodes are one cluster and accept statements. */
  ready(count?: number): Promise<void>;
  remove(): Promise<void>;
}

/** Three nodes on loopback, each of which accepts writes. Nodes that do not answer are excluded after two to four seconds. */
export async function startGalera(): Promise<GaleraCluster> {
  const ports = await Promise.all(
    [1, 2, 3].map(async () => ({ group: await freePort(), transfer: await freePort(), copy: await freePort() })),
  );
  const group = `gcomm://${ports.map((port) => `127.0.0.1:${port.group}`).join(',')}`;
  const nodes: GaleraNode[] = [];
  try {
    for (const port of ports) nodes.push(await startNode(port, group, nodes.length === 0));
  } catch (error) {
    await Promise.all(nodes.map((node) => node.remove()));
    throw error;
  }
  const [a, b, c] = nodes;
  if (!a || !b || !c) throw new Error('there are not three nodes');
  const all = [a, b, c] as const;
  const hosts = all.map(({ port }) => `127.0.0.1:${port}`);
  const cluster: GaleraCluster = {
    nodes: all,
    addresses: hosts.map((_, first) => {
      const rotated = [...hosts.slice(first), ...hosts.slice(0, first)];
      return `mariadb://app:password@${rotated.join(',')}/oauth`;
    }),
    async ready(count = 3) {
      const isReady = async (node: GaleraNode): Promise<boolean> =>
        (await statusOf(node, 'wsrep_ready')) === 'ON' &&
        (await statusOf(node, 'wsrep_cluster_size')) === String(count);
      await until(
        async () => {
          const answers = await Promise.all(all.map((node) => isReady(node).catch(() => false)));
          return answers.filter(Boolean).length === count;
        },
        'the nodes do not find each other',
        60,
      );
    },
    remove: async () => void (await Promise.all(all.map((node) => node.remove()))),
  };
  await cluster.ready();
  return cluster;
}

async function startNode(
  port: { readonly group: number; readonly transfer: number; readonly copy: number },
  group: string,
  isFirst: boolean,
): Promise<GaleraNode> {
  const settings = [
    '--wsrep-on=ON',
    `--wsrep-provider=${PROVIDER}`,
    `--wsrep-cluster-address=${group}`,
    `--wsrep-node-address=127.0.0.1:${port.group}`,
    '--wsrep-node-incoming-address=127.0.0.1',
    `--wsrep-provider-options=${[
      `base_port=${port.group}`,
      `gmcast.listen_addr=tcp://127.0.0.1:${port.group}`,
      `ist.recv_addr=127.0.0.1:${port.transfer}`,
      'gcache.size=16M',
      'evs.keepalive_period=PT0.5S',
      'evs.inactive_check_period=PT0.25S',
      'evs.suspect_timeout=PT2S',
      'evs.inactive_timeout=PT4S',
      'evs.install_timeout=PT4S',
    ].join(';')}`,
    `--wsrep-sst-receive-address=127.0.0.1:${port.copy}`,
    '--binlog-format=ROW',
    '--innodb-autoinc-lock-mode=2',
  ];
  let isNew = true;
  const server = await startMariadb({
    settings: async (directory) => {
      if (!isNew) return [...settings, `--wsrep-start-position=${await recoveredPosition(directory, settings)}`];
      isNew = false;
      return isFirst ? [...settings, '--wsrep-new-cluster'] : settings;
    },
    // The others copy the data of the first.
    accounts: isFirst,
    ready: /Synchronized with group, ready for connections/,
  });
  const setOption = async (option: string): Promise<void> =>
    void (await mariadbQuery(server, `SET GLOBAL wsrep_provider_options = '${option}'`));
  return {
    ...server,
    isolate: () => setOption('gmcast.isolate=1'),
    rejoin: () => setOption('gmcast.isolate=0'),
    async restart() {
      await mariadbQuery(server, 'SHUTDOWN');
      await until(
        async () => (await statusOf(server, 'wsrep_ready').catch(() => 'gone')) === 'gone',
        'it does not end',
      );
      await server.kill();
      await server.start();
    },
  };
}

async function statusOf(node: Pick<MariadbServer, 'port'>, name: string): Promise<string> {
  const [row] = await mariadbQuery(node, `SHOW STATUS LIKE '${name}'`);
  return String(Reflect.get(Object(row), 'Value'));
}
