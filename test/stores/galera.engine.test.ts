import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection, createPool } from 'mariadb';
import { mysqlStore } from 'oauth-query/stores/mysql';
import { type OpenedStore, openStore } from 'oauth-query/stores/open';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeEngine } from './engines/availability.js';
import { testContract } from './engines/contract.js';
import { freshKey } from './engines/fault-cases.js';
import { type GaleraCluster, noGalera, startGalera } from './engines/galera.js';
import { grantsSurvive, OUTAGE_SECONDS, pause } from './engines/grants-survive.js';
import { ADMIN, mariadbQuery } from './engines/mariadb.js';
import { until } from './engines/redis.js';

const LATER = () => Date.now() + 3_600_000;
const onError = (): void => undefined;

function contract(): void {
  let cluster: GaleraCluster;
  let opened = 0;
  const table = 'contract';
  beforeAll(async () => {
    cluster = await startGalera();
    const [address = ''] = cluster.addresses;
    const store = await openStore(address, { table, timeout: 10_000 });
    await store.migrate();
    await store.close();
  });
  afterAll(() => cluster?.remove());

  testContract(() => ({
    open: (clock) => {
      opened += 1;
      return openStore(cluster.addresses[opened % 3] ?? '', { table, timeout: 10_000, clock, onError });
    },
    remove: async () => {
      // A node without the setting would leave what another has confirmed, and it has not applied yet.
      for (const each of [table, `${table}_groups`])
        await mariadbQuery(cluster.nodes[0], `SET STATEMENT wsrep_sync_wait = 7 FOR DELETE FROM ${each}`);
    },
  }));

  test.sequential('a node that has not applied what another confirmed answers when it has', async () => {
    const [behind, ahead] = cluster.nodes;
    const late = await openStore(behind.url, { table, onError });
    const early = await openStore(ahead.url, { table, onError });
    const holder = await createConnection({ ...ADMIN, port: behind.port });
    await early.add('k', { rev: '1' }, LATER());
    expect(await late.get('k')).toEqual({ rev: '1' });
    // From here on it applies nothing.
    await holder.query('FLUSH TABLES WITH READ LOCK');
    expect(await early.swap('k', '1', { rev: '2' }, LATER())).toBe(true);
    await early.add('m', {}, LATER(), ['g']);
    expect(await holder.query(`SELECT CONVERT(rev USING ascii) AS rev FROM ${table}`)).toEqual([{ rev: '1' }]);
    const answers = Promise.all([late.get('k'), late.getMany(['k', 'm']), late.list('g', { limit: 1 })]);
    await sleep(100);
    await holder.query('UNLOCK TABLES');
    expect(await answers).toEqual([{ rev: '2' }, [{ rev: '2' }, {}], { keys: ['m'] }]);
    await holder.end();
    await late.close();
    await early.close();
  });

  test.sequential('check warns of a pool that reads before a node has applied what others have confirmed', async () => {
    const pool = createPool({ ...ADMIN, port: cluster.nodes[0].port, connectionLimit: 1 });
    const warnings: string[] = [];
    const onWarning = (message: string): void => void warnings.push(message);
    const query = (text: string, values: (string | number)[]): Promise<unknown> => pool.execute(text, values);
    await mysqlStore({ query, table, clearEvery: false, onWarning }).check();
    expect(warnings).toEqual([expect.stringContaining('wsrep_sync_wait = 7')]);
    await pool.end();
    const store = await openStore(cluster.addresses[0] ?? '', { table, onWarning });
    await store.check();
    expect(warnings).toHaveLength(1);
    await store.close();
  });

  test.sequential('a node without the majority answers nothing, and its store goes to the next node', async () => {
    const [isolated] = cluster.nodes;
    const alone = await openStore(isolated.url, { table, onError });
    const store: OpenedStore = await openStore(cluster.addresses[0] ?? '', { table, onError });
    const key = freshKey();
    await store.add(key, { rev: '1' }, LATER());
    await isolated.isolate();
    try {
      // Until it has noticed, its calls have no result; they never have a wrong one.
      await until(
        async () =>
          (await store.swap(key, '1', { rev: '2' }, LATER())) ||
          String(Reflect.get(Object(await store.get(key)), 'rev')) === '2',
        'the store did not come back',
      );
      await expect(alone.get(key)).rejects.toBeInstanceOf(Error);
      await expect(alone.add(freshKey(), {}, LATER())).rejects.toBeInstanceOf(Error);
    } finally {
      await isolated.rejoin();
    }
    await cluster.ready();
    expect(await alone.get(key)).toEqual({ rev: '2' });
    await alone.close();
    await store.close();
  });
}

describeEngine('the contract on Galera, each store on another node', noGalera, contract, { concurrent: true });

grantsSurvive(
  'Galera',
  noGalera,
  async () => {
    const cluster = await startGalera();
    return { ...cluster, address: cluster.addresses };
  },
  {
    'a node is killed, and comes back': async ({ nodes: [node], ready }) => {
      await node.kill();
      await sleep(OUTAGE_SECONDS * 1_000);
      await node.start();
      await ready();
    },
    'a node is cut off, and comes back': async ({ nodes: [, node], ready }) => {
      await node.isolate();
      await sleep(OUTAGE_SECONDS * 1_000);
      await node.rejoin();
      await ready();
    },
    'a node is paused': async ({ nodes: [node], ready }) => {
      await pause(node, OUTAGE_SECONDS + 4);
      await ready();
    },
    'the nodes are restarted one after the other': async ({ nodes, ready }) => {
      for (const node of nodes) {
        await node.restart();
        await ready();
      }
    },
  },
);
