/**
 * The cost of records and calls in each store, empty and with many live records, and the commands and bytes of each operation.
 *
 *     npx tsx bench/stores/main.ts [memory] [SQLite] [Redis] [PostgreSQL] [MariaDB] [--records 1000000] [--save]
 *
 * Results depend on the machine; their ratios less so.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { oauthQuery } from 'oauth-query/node';
import type { Store } from '../../src/core/base/ports.js';
import { describeMachine } from '../report/machine.js';
import { saveNumbers } from '../report/saved-files.js';
import { openEngine, type TimeShift } from './engines.js';
import { measureOperations } from './operations.js';
import {
  type EngineName,
  engineNames,
  type EngineResults,
  type Latency,
  operations,
  STORES,
  type StoreResults,
} from './results.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { records: { type: 'string', default: '1000000' }, save: { type: 'boolean', default: false } },
});
const RECORDS = Number(values.records);
const SAMPLES = 2_000;
const HOUR = 3_600_000;
/** Every operation is done this often, to measure its bytes. */
const OPERATIONS = Math.ceil(Math.min(20_000, RECORDS / 5));

/** A key as the server makes it: the issuer, a kind, and the SHA-256 of a token. */
const keyOf = (index: number): string =>
  `0123abcd4567efgh8901ij:token:${createHash('sha256').update(`token ${index}`).digest('base64url')}`;

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

/** Deletes everything, as if two hours had passed; returns records per second. */
async function clearAll(clearExpired: (size: number) => Promise<number>, time: TimeShift): Promise<number> {
  time.ahead = 2 * HOUR;
  const start = performance.now();
  let cleared = 0;
  for (let batch = 1_000; batch >= 1_000; cleared += batch) batch = await clearExpired(1_000);
  return cleared / ((performance.now() - start) / 1000);
}

async function fill(store: Store, from: number, to: number): Promise<void> {
  const together = 500;
  for (let start = from; start < to; start += together) {
    const batch: Promise<boolean>[] = [];
    for (let index = start; index < Math.min(to, start + together); index += 1) {
      batch.push(store.add(keyOf(index), recordOf(index), Date.now() + HOUR));
    }
    if (!(await Promise.all(batch)).every(Boolean)) throw new Error('A new key was already there.');
  }
}

/** Of sequential calls. */
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

/** Measures a store with this many live records. Its own records are deleted again. */
async function measureCalls(store: Store, live: number): Promise<Record<'add' | 'get', Latency>> {
  const fresh = Array.from({ length: SAMPLES }, (_, sample) => keyOf(10 * RECORDS + sample));
  // New strings, because every request brings its own.
  const known = fresh.map((_key, sample) => keyOf(live < SAMPLES ? 10 * RECORDS + sample : (sample * 7_919) % live));
  const add = await latency((sample) => store.add(fresh[sample] ?? '', recordOf(sample), Date.now() + HOUR));
  const get = await latency((sample) => store.get(known[sample] ?? ''));
  for (const key of fresh) await store.delete(key);
  return { add, get };
}

/** Sends introspection requests over one connection to a real server, for tokens that it has issued. */
async function introspection(store: Store): Promise<Latency> {
  const oauth = oauthQuery({
    store,
    issuer: 'https://example.org',
    clients: [{ client_id: 'api', client_secret: 'api-secret', introspect: true }],
    onWarning: () => undefined,
  });
  const server = createServer(oauth);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // It listens on a port, not on a pipe.
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
      if (active !== true) throw new Error('A live token was not active.');
    });
  } finally {
    agent.destroy();
    server.close();
  }
}

async function measureEngine(name: EngineName): Promise<EngineResults> {
  const time = { ahead: 0 };
  const engine = await openEngine[name](time);
  const { store, clearExpired } = engine;
  try {
    // First, because deleted records leave free space in the files of the SQL databases.
    const costs = await measureOperations(engine, OPERATIONS);
    await measureCalls(store, 0); // warms up
    await introspection(store);
    const empty = { ...(await measureCalls(store, 0)), introspection: await introspection(store) };
    const sizeBefore = await engine.size();
    const start = performance.now();
    await fill(store, 0, RECORDS);
    const seconds = (performance.now() - start) / 1000;
    const bytesPerRecord = ((await engine.size()) - sizeBefore) / RECORDS;
    const full = { ...(await measureCalls(store, RECORDS)), introspection: await introspection(store) };
    return {
      bytesPerRecord,
      addsPerSecond: RECORDS / seconds,
      add: [empty.add, full.add],
      get: [empty.get, full.get],
      introspection: [empty.introspection, full.introspection],
      ...(clearExpired && { clearedPerSecond: await clearAll(clearExpired, time) }),
      ...costs,
    };
  } finally {
    await engine.remove();
  }
}

const micro = ({ median, p99 }: Latency): string => `${median.toFixed(1)} µs (p99 ${p99.toFixed(1)})`;

function print(name: EngineName, results: EngineResults): void {
  const { bytesPerRecord, addsPerSecond, clearedPerSecond, operations: costs } = results;
  console.log(`\n${name}: ${bytesPerRecord.toFixed(0)} bytes per record; ${addsPerSecond.toFixed(0)} adds/s`);
  for (const call of ['add', 'get', 'introspection'] as const) {
    const [empty, full] = results[call];
    console.log(`  ${call.padEnd(13)} empty ${micro(empty)}, with ${RECORDS} records ${micro(full)}`);
  }
  if (clearedPerSecond !== undefined) console.log(`  clears ${clearedPerSecond.toFixed(0)} expired records/s`);
  for (const operation of operations) {
    const { commands, bytes } = costs[operation];
    console.log(`  ${operation.padEnd(13)} ${commands.toFixed(1)} commands, ${bytes.toFixed(0)} bytes`);
  }
}

const chosen = engineNames.filter((name) => positionals.length === 0 || positionals.includes(name));
if (values.save && chosen.length < engineNames.length) throw new TypeError('--save needs all stores.');
const measured: Partial<Record<EngineName, EngineResults>> = {};
for (const name of chosen) {
  const results = await measureEngine(name);
  measured[name] = results;
  print(name, results);
}
if (values.save) {
  const date = new Date().toISOString().slice(0, 10);
  saveNumbers(STORES, { date, machine: describeMachine(), records: RECORDS, engines: measured } satisfies StoreResults);
  console.log(`\nWritten: ${STORES}.`);
}
