/**
 * What a live record costs in each store, and what a call costs in an empty store and among a million live records.
 *
 *     npx tsx bench/stores.ts [memory] [sqlite] [redis] [postgres]
 *
 * Each engine is started for this on loopback and thrown away. Numbers depend on the machine; their ratios less so.
 */
import pg from 'pg';
import { createClient } from 'redis';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { rmSync, statSync } from 'node:fs';
import { Agent, createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { oauthQuery } from 'oauth-query/node';
import { memoryStore } from 'oauth-query/stores/memory';
import { postgresStore } from 'oauth-query/stores/postgres';
import { redisStore } from 'oauth-query/stores/redis';
import { sqliteStore } from 'oauth-query/stores/sqlite';
import type { Store } from '../src/core/base/ports.js';
import { temporaryDirectory } from '../test/stores/engines/daemon.js';
import { startPostgres } from '../test/stores/engines/postgres.js';
import { command, startRedis } from '../test/stores/engines/redis.js';

const RECORDS = Number(process.env['RECORDS'] ?? 1_000_000);
const SAMPLES = 5_000;
const HOUR = 3_600_000;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** A key as the server makes it: its own mark, a kind and the SHA-256 of a token. */
const keyOf = (index: number): string =>
  `0123abcd:token:${createHash('sha256').update(`token ${index}`).digest('base64url')}`;

/** A record as the server makes it for a client's own token. */
function recordOf(index: number): object {
  const iat = Math.floor(Date.now() / 1000);
  return {
    kind: 'access',
    client_id: CLIENTS[index % CLIENTS.length],
    sub: SUBJECTS[index % CLIENTS.length],
    username: null,
    scope: 'content.read highvolume',
    aud: AUDIENCE,
    iat,
    exp: iat + 3_600,
    grant: null,
  };
}
const CLIENTS = Array.from({ length: 20 }, (_, index) => `client-${index}`);
const SUBJECTS = CLIENTS.map((client) => `client:${client}`);
const AUDIENCE = ['https://example.org'];

interface Engine {
  readonly store: Store;
  /** Bytes of memory or disk that the records take. */
  size(): Promise<number> | number;
  /** Removes what is expired for `clock`; says how many were removed in how many milliseconds. */
  clearAll?(): Promise<string>;
  remove(): Promise<void> | void;
}

const engines: Record<string, (time: { ahead: number }) => Promise<Engine> | Engine> = {
  memory() {
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    return {
      store: memoryStore({ max: 2 * RECORDS }),
      size() {
        collectGarbage();
        return process.memoryUsage().heapUsed - before;
      },
      remove: () => undefined,
    };
  },

  sqlite(time) {
    const directory = temporaryDirectory();
    const file = join(directory, 'records.db');
    const store = sqliteStore({ file, clearEvery: false, clock: () => Date.now() + time.ahead });
    return {
      store,
      size: () => statSync(file).size,
      clearAll: () => clearAll(store, time),
      async remove() {
        await store.close();
        rmSync(directory, { recursive: true });
      },
    };
  },

  async redis() {
    const server = await startRedis();
    const client = await createClient({ url: server.url }).connect();
    const used = async (): Promise<number> =>
      Number(/used_memory:(\d+)/.exec(String(await command(server.url, 'INFO', 'memory')))?.[1]);
    const before = await used();
    return {
      store: redisStore({ sendCommand: (args) => client.sendCommand(args), timeout: 60_000 }),
      size: async () => (await used()) - before,
      async remove() {
        client.destroy();
        await server.remove();
      },
    };
  },

  async postgres(time) {
    const server = await startPostgres();
    const pool = new pg.Pool({ connectionString: server.url, max: 10 });
    const store = postgresStore({
      query: (text, values) => pool.query(text, values),
      timeout: 60_000,
      clearEvery: false,
      clock: () => Date.now() + time.ahead,
    });
    await store.migrate();
    return {
      store,
      size: async () =>
        Number((await pool.query("SELECT pg_total_relation_size('oauth_records') AS bytes")).rows[0].bytes),
      clearAll: () => clearAll(store, time),
      async remove() {
        await store.close();
        await pool.end();
        await server.remove();
      },
    };
  },
};

async function clearAll(
  store: { clearExpired(size: number): Promise<number> },
  time: { ahead: number },
): Promise<string> {
  time.ahead = 2 * HOUR;
  const start = performance.now();
  let slowest = 0;
  let cleared = 0;
  for (let batch = 1_000; batch === 1_000; cleared += batch) {
    const begin = performance.now();
    batch = await store.clearExpired(1_000);
    slowest = Math.max(slowest, performance.now() - begin);
  }
  const seconds = (performance.now() - start) / 1000;
  return `cleared ${Math.round(cleared / seconds)} expired records/s, slowest batch of 1,000: ${slowest.toFixed(1)} ms`;
}

async function fill(store: Store, from: number, to: number): Promise<void> {
  const together = 500;
  for (let start = from; start < to; start += together) {
    const batch: Promise<boolean>[] = [];
    for (let index = start; index < Math.min(to, start + together); index += 1) {
      batch.push(store.add(keyOf(index), recordOf(index), Date.now() + HOUR));
    }
    if (!(await Promise.all(batch)).every(Boolean)) throw new Error('a fresh key was already there');
  }
}

interface Latency {
  readonly median: number;
  readonly p99: number;
}

/** One call at a time, in microseconds. */
async function latency(call: (sample: number) => Promise<unknown>): Promise<Latency> {
  const times: number[] = [];
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const start = performance.now();
    await call(sample);
    times.push((performance.now() - start) * 1000);
  }
  times.sort((a, b) => a - b);
  return { median: times[SAMPLES >> 1] ?? NaN, p99: times[Math.floor(SAMPLES * 0.99)] ?? NaN };
}

/** Measures with `live` records in the store; its own records go away again. */
async function measure(store: Store, live: number): Promise<Record<'add' | 'get' | 'miss' | 'delete', Latency>> {
  const fresh = Array.from({ length: SAMPLES }, (_, sample) => keyOf(10 * RECORDS + sample));
  // Strings that the store has not seen yet, as every request brings its own.
  const known = fresh.map((_key, sample) => keyOf(live < SAMPLES ? 10 * RECORDS + sample : (sample * 7_919) % live));
  const add = await latency((sample) => store.add(fresh[sample] ?? '', recordOf(sample), Date.now() + HOUR));
  const get = await latency((sample) => store.get(known[sample] ?? ''));
  const miss = await latency((sample) => store.get(keyOf(20 * RECORDS + sample)));
  const remove = await latency((sample) => store.delete(fresh[sample] ?? ''));
  return { add, get, miss, delete: remove };
}

/** Asks a real server, over one connection, about tokens that it has issued: what a resource server waits for. */
async function introspection(store: Store): Promise<Latency> {
  const oauth = oauthQuery({
    store,
    issuer: 'https://example.org',
    clients: [{ client_id: 'api', client_secret: 'api-secret', introspect: true }],
    onWarning: () => undefined,
  });
  const server = createServer(oauth);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // It listens on a port and not on a pipe.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const post = async (path: string, form: string): Promise<Record<string, unknown>> => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': form.length };
    const sent = request({ host: '127.0.0.1', port, agent, path, method: 'POST', auth: 'api:api-secret', headers }).end(
      form,
    );
    const [response] = (await once(sent, 'response')) as [IncomingMessage]; // What node emits with `response`.
    return JSON.parse(await text(response));
  };
  try {
    const tokens: unknown[] = [];
    for (let sample = 0; sample < SAMPLES; sample += 1) {
      tokens.push((await post('/oauth/token', 'grant_type=client_credentials'))['access_token']);
    }
    return await latency(async (sample) => {
      const { active } = await post('/oauth/introspect', `token=${String(tokens[sample])}`);
      if (active !== true) throw new Error('a live token was said to be inactive');
    });
  } finally {
    agent.destroy();
    server.close();
  }
}

const micro = ({ median, p99 }: Latency): string => `${median.toFixed(1)} µs (p99 ${p99.toFixed(1)})`;

async function run(name: string, open: (time: { ahead: number }) => Promise<Engine> | Engine): Promise<void> {
  const time = { ahead: 0 };
  const engine = await open(time);
  try {
    await measure(engine.store, 0); // warms up
    await introspection(engine.store); // warms up
    const empty = await measure(engine.store, 0);
    const emptyIntrospection = await introspection(engine.store);
    const sizeBefore = await engine.size();
    const start = performance.now();
    await fill(engine.store, 0, RECORDS);
    const seconds = (performance.now() - start) / 1000;
    const bytes = ((await engine.size()) - sizeBefore) / RECORDS;
    console.log(
      `\n${name}: ${bytes.toFixed(0)} bytes per record; filled with ${Math.round(RECORDS / seconds)} records/s`,
    );
    const full = await measure(engine.store, RECORDS);
    for (const verb of ['add', 'get', 'miss', 'delete'] as const) {
      const ratio = (full[verb].median / empty[verb].median).toFixed(2);
      console.log(
        `  ${verb.padEnd(6)} empty ${micro(empty[verb])}, among ${RECORDS}: ${micro(full[verb])}, ratio ${ratio}`,
      );
    }
    const fullIntrospection = await introspection(engine.store);
    const ratio = (fullIntrospection.median / emptyIntrospection.median).toFixed(2);
    console.log(
      `  introspection over HTTP empty ${micro(emptyIntrospection)}, among ${RECORDS}: ${micro(fullIntrospection)}, ratio ${ratio}`,
    );
    if (engine.clearAll) console.log(`  ${await engine.clearAll()}`);
  } finally {
    await engine.remove();
  }
}

const chosen = process.argv.slice(2);
for (const [name, open] of Object.entries(engines)) {
  if (chosen.length === 0 || chosen.includes(name)) await run(name, open);
}
