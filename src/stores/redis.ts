/**
 * A store in Redis or a Redis Cluster, for many machines.
 *
 * @module oauth-query/stores/redis
 */

import type { Clock, Store } from '../core/ports.js';
import { CLOCK_SLACK_MS } from './clearing.js';
import { parseRecord } from './record.js';
import { StoreError } from './store-error.js';
import { DEFAULT_TIMEOUT_MS, within } from './within.js';

/**
 * Sends one command and resolves with Redis's answer, or rejects with its error. A cluster client finds the node by `key`, which is
 * absent only for {@link RedisStore.check}.
 */
export type SendCommand = (args: string[], key: string | undefined) => Promise<unknown>;

/** What `redisStore` can be told. */
export interface RedisStoreOptions {
  /** How to ask Redis: `(args) => client.sendCommand(args)` for node-redis. */
  readonly sendCommand: SendCommand;
  /** In front of every key, `oauth:` unless told. */
  readonly prefix?: string;
  /** Milliseconds to wait for an answer before the call rejects, 2,000 unless told. */
  readonly timeout?: number;
  /** Milliseconds since the epoch; `Date.now` unless told. */
  readonly clock?: Clock;
}

export interface RedisStore extends Store {
  /**
   * Rejects with a sentence when this Redis throws live records away once its memory is full: a "used" mark that vanishes is a code
   * that works twice. Worth a call at the start of a server. Rejects too when Redis cannot be asked.
   */
  check(): Promise<void>;
}

/**
 * A record is its deadline, a space, and its JSON. The deadline is ours: Redis's own expiry, which follows Redis's clock,
 * comes later by a slack and only tidies up. So an expired record may still lie there, and has to make way.
 *
 * ARGV: our time, record, milliseconds until Redis may forget it.
 */
const ADD = `
local old = redis.call('GET', KEYS[1])
if old and tonumber(string.match(old, '^%d+')) > tonumber(ARGV[1]) then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1`;

/**
 * A store in Redis 6.2 or later, or in what speaks its protocol and runs Lua scripts (Valkey, …). One key per record, each by itself, so
 * it needs nothing special on a cluster. One round trip per call.
 *
 * ```ts
 * // node-redis; a client that queues nothing while it is away fails at once
 * const client = await createClient({ url, disableOfflineQueue: true }).on('error', log).connect();
 * redisStore({ sendCommand: (args) => client.sendCommand(args) });
 *
 * // node-redis with createCluster
 * redisStore({ sendCommand: (args, key) => cluster.sendCommand(key, false, args) });
 *
 * // ioredis: one server, or Sentinel by its `sentinels` option
 * const redis = new Redis(url, { enableOfflineQueue: false, maxRetriesPerRequest: 0 });
 * redisStore({ sendCommand: ([name = '', ...rest]) => redis.call(name, ...rest) });
 *
 * // ioredis with Cluster finds the key in the command
 * redisStore({ sendCommand: ([name = '', ...rest]) => redisCluster.call(name, ...rest) });
 * ```
 *
 * Reads must go to masters, as they do unless a client is told otherwise. Reconnecting is the client's work. Redis must run with
 * `maxmemory-policy noeviction`; see {@link RedisStore.check}.
 *
 * @returns a store that rejects with Redis's or the client's error, with a `StoreError` of code `STORE_TIMEOUT` when no
 * answer comes in time, and with `STORE_ANSWER` when the answer makes no sense.
 */
export function redisStore(options: RedisStoreOptions): RedisStore {
  const { sendCommand, prefix = 'oauth:', timeout = DEFAULT_TIMEOUT_MS, clock = Date.now } = options;
  const ask = (args: string[], key?: string): Promise<unknown> =>
    within(timeout, 'Redis', () => sendCommand(args, key));

  return {
    async add(key, value, expiresAt) {
      const now = clock();
      if (!(expiresAt > now)) return false;
      const deadline = Math.ceil(expiresAt);
      const name = prefix + key;
      const record = `${deadline} ${JSON.stringify(value)}`;
      const life = String(Math.ceil(deadline - now) + CLOCK_SLACK_MS);
      const wrote = await ask(['EVAL', ADD, '1', name, String(now), record, life], name);
      if (wrote !== 0 && wrote !== 1) throw nonsense('EVAL', wrote);
      return wrote === 1;
    },

    async get(key) {
      const name = prefix + key;
      const record = await ask(['GET', name], name);
      return record === null ? undefined : parse(record, clock());
    },

    async delete(key) {
      const name = prefix + key;
      const removed = await ask(['DEL', name], name);
      if (typeof removed !== 'number') throw nonsense('DEL', removed);
    },

    async check() {
      const info = await ask(['INFO', 'memory'], undefined);
      const policy = /maxmemory_policy:(\S+)/.exec(String(info))?.[1];
      if (policy !== undefined && policy !== 'noeviction') {
        throw new Error(
          `redisStore: maxmemory-policy is ${policy}, so a full Redis would forget live records. Set it to noeviction.`,
        );
      }
    },
  };
}

function parse(record: unknown, now: number): object | undefined {
  const [, deadline, json] = (typeof record === 'string' && /^(\d+) (.*)$/s.exec(record)) || [];
  if (deadline === undefined) throw nonsense('GET', record);
  return Number(deadline) > now ? parseRecord(json) : undefined;
}

/** Says what kind of answer it was, not what was in it. */
function nonsense(command: string, answer: unknown): StoreError {
  return new StoreError(
    'STORE_ANSWER',
    `Redis answered ${command} with an unexpected ${answer === null ? 'null' : typeof answer}`,
  );
}
