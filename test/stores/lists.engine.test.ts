import { randomUUID } from 'node:crypto';
import { postgresStore } from 'oauth-query/stores/postgres';
import { redisStore, type RedisStore, type SendCommand } from 'oauth-query/stores/redis';
import pg from 'pg';
import { createClient, createCluster } from 'redis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Store } from '../../src/core/base/ports.js';
import { describeEngine } from './engines/availability.js';
import { MANY } from './engines/many.js';
import { noPostgres, startPostgres, type PostgresServer } from './engines/postgres.js';
import {
  command,
  noRedis,
  startRedis,
  startRedisCluster,
  type RedisCluster,
  type RedisServer,
} from './engines/redis.js';

const HOUR = 3_600_000;
const LATER = Date.now() + HOUR;
const range = (length: number): number[] => Array.from({ length }, (_, index) => index);

/** As many keys as a large client has grants, added by so many at once. */
async function fill(store: Store, group: string): Promise<void> {
  const left = range(MANY);
  const worker = async (): Promise<void> => {
    for (let index = left.pop(); index !== undefined; index = left.pop()) {
      await store.add(`grant:{${randomUUID()}}`, { index }, LATER, [group]);
    }
  };
  await Promise.all(range(100).map(worker));
}

/** Walks through everything, and prints how long a page of 50 took. */
async function expectAll({ list }: Required<Store>, group: string): Promise<void> {
  const found = new Set<string>();
  const times: number[] = [];
  let after: string | undefined;
  do {
    const start = performance.now();
    const limit = found.size < 2_000 ? 50 : 1_000;
    const { keys, next } = await list(group, { after, limit });
    if (limit === 50) times.push(performance.now() - start);
    for (const key of keys) found.add(key);
    after = next;
  } while (after !== undefined);
  expect(found.size).toBe(MANY);
  const median = times.sort((a, b) => a - b)[times.length >> 1] ?? Infinity;
  console.log(`a page of 50 among ${MANY} keys of one group: ${median.toFixed(2)} ms`);
}

describeEngine('groups in PostgreSQL', noPostgres, () => {
  let server: PostgresServer;
  let pool: pg.Pool;
  beforeAll(async () => {
    server = await startPostgres();
    pool = new pg.Pool({ connectionString: server.url, max: 10 });
    pool.on('error', () => undefined);
  });
  afterAll(async () => {
    await pool?.end();
    await server?.remove();
  });

  test(`a page of 50 among ${MANY} keys is one statement that uses the index`, async () => {
    const asked: { text: string; values: (string | number)[] }[] = [];
    const store = postgresStore({
      query: (text, values) => (asked.push({ text, values }), pool.query(text, values)),
      table: 'large',
      clearEvery: false,
      timeout: 10_000,
    });
    await store.migrate();
    await fill(store, 'client:large');
    await expectAll(store, 'client:large');
    asked.length = 0;
    expect((await store.list('client:large', { after: 'grant:{7', limit: 50 })).keys).toHaveLength(50);
    expect(asked).toHaveLength(1);
    const [list = { text: '', values: [] }] = asked;
    const session = await pool.connect();
    const plan = async (): Promise<string> => {
      const values = list.values.map((value) => (typeof value === 'number' ? value : session.escapeLiteral(value)));
      return JSON.stringify((await session.query(`EXPLAIN EXECUTE list (${values.join(', ')})`)).rows);
    };
    await session.query(`PREPARE list (text, text, bigint, bigint) AS ${list.text}`);
    const expectByIndex = async (): Promise<void> => {
      expect(await plan()).toMatch(/Index Scan using large_groups_pkey.*Index Scan using large_groups_pkey/);
      expect(await plan()).not.toMatch(/Sort|Bitmap|Seq/);
    };
    await expectByIndex();
    // Among many small groups, once for the values and once for any.
    await pool.query(
      "INSERT INTO large_groups SELECT 'owner:' || n, 'grant:' || n, $1 FROM generate_series(1, 100000) AS n",
      [LATER],
    );
    await pool.query('ANALYZE large_groups');
    await expectByIndex();
    await session.query('SET plan_cache_mode = force_generic_plan');
    await expectByIndex();
    session.release(true);
  }, 120_000);

  test('an add that returns false leaves no entry, and one that fails leaves neither record nor entry', async () => {
    const store = postgresStore({
      query: (text, values) => pool.query(text, values),
      table: 'small',
      clearEvery: false,
    });
    await store.migrate();
    await store.add('k:1', {}, LATER, ['g:1']);
    expect(await store.add('k:1', {}, LATER, ['g:2'])).toBe(false);
    expect(await store.list('g:2', { limit: 10 })).toEqual({ keys: [] });
    await pool.query('ALTER TABLE small_groups RENAME TO elsewhere');
    await expect(store.add('k:2', {}, LATER, ['g:1'])).rejects.toThrow(/small_groups/);
    await pool.query('ALTER TABLE elsewhere RENAME TO small_groups');
    expect(await store.get('k:2')).toBeUndefined();
    expect(await store.list('g:1', { limit: 10 })).toEqual({ keys: ['k:1'] });
  });
});

describeEngine('groups in Redis', noRedis, () => {
  let server: RedisServer;
  let client: ReturnType<typeof createClient>;
  let send: SendCommand;
  const sent: string[][] = [];
  beforeAll(async () => {
    server = await startRedis();
    client = createClient({ url: server.url, disableOfflineQueue: true });
    client.on('error', () => undefined);
    await client.connect();
    send = (args) => (sent.push(args), client.sendCommand(args));
  });
  afterAll(async () => {
    client?.destroy();
    await server?.remove();
  });
  const open = (more: { sendCommand?: SendCommand; clock?: () => number } = {}): RedisStore =>
    redisStore({ sendCommand: send, watchPolicy: false, timeout: 10_000, ...more });

  test('an add without groups is one command; with four groups it is five, four of them at once and first', async () => {
    const order: string[] = [];
    const store = open({
      sendCommand: async (args, key) => {
        order.push(key?.endsWith('§') === true ? 'group' : 'record');
        const answer = await send(args, key);
        order.push('answer');
        return answer;
      },
    });
    await store.add('order:1', {}, LATER);
    expect(order.splice(0)).toEqual(['record', 'answer']);
    await store.add('order:2', {}, LATER, ['g:1', 'g:2', 'g:3', 'g:4', 'g:1']);
    expect(order).toEqual([...range(4).map(() => 'group'), ...range(4).map(() => 'answer'), 'record', 'answer']);
  });

  test('a crash between entry and record: the group may name missing records, but never lacks existing ones', async () => {
    const dying = open({
      sendCommand: (args, key) => (key?.endsWith('§') === true ? send(args, key) : new Promise(() => undefined)),
    });
    void dying.add('crash:1', { is: 'lost' }, LATER, ['crash']).catch(() => undefined);
    const store = open();
    await expect.poll(async () => (await store.list('crash', { limit: 10 })).keys).toEqual(['crash:1']);
    expect(await store.get('crash:1')).toBeUndefined();
    expect(await store.add('crash:1', { is: 'written' }, LATER, ['crash'])).toBe(true);
    expect(await store.list('crash', { limit: 10 })).toEqual({ keys: ['crash:1'] });
  });

  test('an entry that cannot be written makes add fail, without a record', async () => {
    let entries = 0;
    const store = open({
      sendCommand: (args, key) =>
        key?.endsWith('§') === true && (entries += 1) === 2 ? Promise.reject(new Error('cut')) : send(args, key),
    });
    await expect(store.add('cut:1', {}, LATER, ['g:1', 'g:2'])).rejects.toThrow('cut');
    expect(await store.get('cut:1')).toBeUndefined();
  });

  test('an add removes two expired entries from its bucket, two minutes after their expiry, and no more', async () => {
    let now = Date.now();
    const store = open({ clock: () => now });
    // Nine keys of one bucket, found by asking which set they went to.
    const keys: string[] = [];
    let bucket: string | undefined;
    for (let index = 0; keys.length < 9; index += 1) {
      const key = `few:${index}`;
      sent.length = 0;
      await store.add(key, {}, now + (keys.length < 7 ? 60_000 : HOUR), [`probe:${index}`]);
      const number = /\{(\d+):/.exec(sent[0]?.[3] ?? '')?.[1];
      bucket ??= number;
      if (number === bucket) keys.push(key);
    }
    for (const key of keys) await store.delete(key);
    sent.length = 0;
    const [seventh = '', eighth = '', ninth = ''] = keys.slice(6);
    for (const key of keys.slice(0, 6)) await store.add(key, {}, now + 60_000, ['few']);
    const [name = ''] = new Set(sent.flatMap((args) => args.filter((arg) => arg.endsWith('§'))));
    const members = async (): Promise<string[]> => (await store.list('few', { limit: 100 })).keys.toSorted();
    now += 60_000 + 119_999;
    await store.add(seventh, {}, now + HOUR, ['few']);
    expect(await members(), 'none is removed before two minutes have passed').toEqual([...keys.slice(0, 7)].sort());
    now += 1;
    await store.add(eighth, {}, now + HOUR, ['few']);
    expect(await members()).toHaveLength(6);
    await store.add(ninth, {}, now + 2 * HOUR, ['few']);
    expect(await members()).toHaveLength(5);
    expect(await members()).toEqual(expect.arrayContaining([seventh, eighth, ninth]));
    expect(await client.zCard(name)).toBe(5);
    // Redis forgets all of it two minutes after the latest end.
    const life = Number(await command(server.url, 'PTTL', name));
    expect(life).toBeGreaterThan(2 * HOUR + 110_000);
    expect(life).toBeLessThanOrEqual(2 * HOUR + 120_000);
    await store.delete(seventh);
    await store.add(seventh, {}, now + 1_000, ['few']);
    expect(Number(await command(server.url, 'PTTL', name)), 'an earlier end shortens nothing').toBeGreaterThan(
      2 * HOUR,
    );
  });

  test('records and groups with similar names do not collide', async () => {
    const store = open();
    sent.length = 0;
    await store.add('alike', {}, LATER, ['alike']);
    const [bucket = ''] = sent.flatMap((args) => args.filter((arg) => arg.endsWith('§')));
    const key = bucket.slice('oauth:'.length, -1);
    expect(await store.add(key, { key }, LATER, ['alike', key])).toBe(true);
    expect(await store.get(key)).toEqual({ key });
    expect((await store.list('alike', { limit: 10 })).keys).toEqual(['alike', key]);
  });

  test(`a page of 50 among ${MANY} keys is sixteen commands at once`, async () => {
    const store = open();
    await fill(store, 'client:large');
    await expectAll(store, 'client:large');
    sent.length = 0;
    let rounds = 0;
    let waiting: (() => void)[] = [];
    const together = open({
      sendCommand: async (args, key) => {
        if (waiting.length === 0) {
          setImmediate(() => {
            rounds += 1;
            const go = waiting;
            waiting = [];
            for (const one of go) one();
          });
        }
        await new Promise<void>((resolve) => waiting.push(resolve));
        return send(args, key);
      },
    });
    expect((await together.list('client:large', { after: 'grant:{7', limit: 50 })).keys).toHaveLength(50);
    expect([sent.length, rounds]).toEqual([16, 1]);
  }, 120_000);

  test.each([[null], ['OK'], [[1]], [['no entry']], [[null]], [undefined], [5]])(
    'list does not accept %j as keys',
    async (answer) => {
      const store = open({ sendCommand: async () => answer });
      await expect(store.list('g', { limit: 1 })).rejects.toMatchObject({ code: 'STORE_ANSWER' });
      await expect(store.add('k', {}, LATER, ['g'])).rejects.toMatchObject({ code: 'STORE_ANSWER' });
    },
  );
});

describeEngine('groups on a Redis Cluster', noRedis, () => {
  let servers: RedisCluster;
  let cluster: ReturnType<typeof createCluster>;
  beforeAll(async () => {
    servers = await startRedisCluster();
    cluster = createCluster({ rootNodes: servers.urls.map((url) => ({ url })) });
    cluster.on('error', () => undefined);
    await cluster.connect();
  });
  afterAll(async () => {
    cluster?.destroy();
    await servers?.remove();
  });

  test(`${MANY} keys of one group: every master has a part, and none has an eighth`, async () => {
    const store = redisStore({ sendCommand: (args, key) => cluster.sendCommand(key, false, args), timeout: 10_000 });
    await fill(store, 'client:large');
    await expectAll(store, 'client:large');
    const sizes: number[] = [];
    for (const { url } of servers.masters) {
      const client = await createClient({ url }).connect();
      const before = sizes.length;
      for await (const names of client.scanIterator({ MATCH: '*§', COUNT: 10_000 })) {
        for (const name of names) sizes.push(await client.zCard(name));
      }
      expect(sizes.length).toBeGreaterThan(before);
      client.destroy();
    }
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(MANY);
    console.log(`the largest of ${sizes.length} parts has ${Math.max(...sizes)} of ${MANY} keys`);
    expect(Math.max(...sizes)).toBeLessThan(MANY / 8);
  }, 120_000);
});
