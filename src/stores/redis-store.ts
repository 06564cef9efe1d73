import { mistake } from '../core/base/mistakes.js';
import type { Clock, Store } from '../core/base/ports.js';
import { CLOCK_SLACK_MS } from './clearing.js';
import { nonsense, parseRecord } from './record.js';
import type { AdaptedClient } from './redis-client.js';
import { RedisGroups } from './redis-groups.js';
import { watchPolicy } from './redis-policy.js';
import { revisionOf } from './revision.js';
import { DEFAULT_TIMEOUT_MS, within } from './within.js';

/** How records are stored, with any client. */
export interface RedisStoreSettings {
  /** Prefix of every key, by default `oauth:`. */
  readonly prefix?: string | undefined;
  /** Milliseconds to wait for a response before the call rejects, by default 2,000. */
  readonly timeout?: number | undefined;
  /** Milliseconds between two checks of `maxmemory-policy`, by default 60,000; with `false` it is never checked, and never makes `add` reject. */
  readonly watchPolicy?: number | false | undefined;
  /** Called when a check finds that Redis may evict live records; default: `console.error`. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Returns milliseconds since the epoch; default: `Date.now`. */
  readonly clock?: Clock | undefined;
}

/** A store in Redis; see `redisStore`. */
export interface RedisStore extends Required<Store> {
  /**
   * Rejects with an explanation if this Redis, or any master of this cluster, evicts live records when its memory is full: if the mark of
   * a revoked token is evicted, the token works again. Call it when a server starts. Also rejects if Redis cannot be reached or does not
   * report its policy, because an unknown policy is not assumed to be safe.
   * With `sendCommand` instead of `client`, a single server is checked.
   */
  check(): Promise<void>;
  /** Stops watching the policy. Does not close your client. */
  close(): Promise<void>;
}

/**
 * A record consists of its expiry, its revision (see `revisionOf`), and its JSON, separated by spaces. The expiry follows our clock;
 * Redis's own expiry, which follows Redis's clock, comes later and only cleans up. So an expired record may still
 * exist and must be replaced. A record with the revision of this call was written by this call, when it was sent the first time.
 *
 * ARGV: our time, new revision, new record, milliseconds until Redis may drop it, and for `swap` the revision to replace.
 */
const WRITE = `
local old = redis.call('GET', KEYS[1])
local deadline, revision = string.match(old or '0 - ', '^(%d+) (%S+) ')
if tonumber(deadline) > tonumber(ARGV[1]) then
  if revision == ARGV[2] then return 1 end
  if revision ~= ARGV[5] then return 0 end
elseif ARGV[5] then
  return 0
end
redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[4])
return 1`;

/** Creates the store for a client. */
export function storeOver(client: AdaptedClient, options: RedisStoreSettings): RedisStore {
  const { prefix = 'oauth:', timeout = DEFAULT_TIMEOUT_MS, clock = Date.now } = options;
  const ask = (args: string[], key: string): Promise<unknown> =>
    within(timeout, 'Redis', () => client.sendCommand(args, key));
  const policy = watchPolicy(() => within(timeout, 'Redis', () => client.askMasters(['INFO', 'memory'])), options);
  const groupsOfKeys = new RedisGroups(ask, prefix);
  /** Reads records with different names in one slot. */
  const read = async (names: readonly string[]): Promise<(readonly [name: string, record: unknown])[]> => {
    const answers = await ask(['MGET', ...names], names[0] ?? '');
    if (!Array.isArray(answers) || answers.length !== names.length) throw nonsense('MGET', answers);
    return names.map((name, index) => [name, answers[index]]);
  };

  const write = async (
    { key, value, expiresAt, groups }: { key: string; value: object; expiresAt: number; groups: readonly string[] },
    ...before: string[]
  ): Promise<boolean> => {
    const now = clock();
    if (!(expiresAt > now)) return false;
    policy.assertSafe();
    const deadline = Math.ceil(expiresAt);
    const name = prefix + key;
    const revision = revisionOf(value);
    const record = `${deadline} ${revision} ${JSON.stringify(value)}`;
    // First, and awaited: whatever fails in between, no record is missing from its groups, or outlives its entries.
    if (groups.length > 0) await groupsOfKeys.enter(key, groups, deadline, now);
    const life = String(Math.ceil(deadline - now) + CLOCK_SLACK_MS);
    const wrote = await ask(['EVAL', WRITE, '1', name, String(now), revision, record, life, ...before], name);
    if (wrote !== 0 && wrote !== 1) throw nonsense('EVAL', wrote);
    return wrote === 1;
  };

  return {
    add: (key, value, expiresAt, groups = []) => write({ key, value, expiresAt, groups }),

    swap: (key, before, value, expiresAt, groups = []) => write({ key, value, expiresAt, groups }, before),

    async get(key) {
      const name = prefix + key;
      const record = await ask(['GET', name], name);
      return parse(record, clock());
    },

    async getMany(keys) {
      const names = keys.map((key) => prefix + key);
      const found = await Promise.all(bySlot(names).map(read));
      const records = new Map(found.flat());
      const now = clock();
      return names.map((name) => parse(records.get(name), now));
    },

    list: (group, page) => groupsOfKeys.list(group, page),

    async delete(key) {
      const name = prefix + key;
      const removed = await ask(['DEL', name], name);
      if (typeof removed !== 'number') throw nonsense('DEL', removed);
    },

    async check() {
      await policy.check();
      const answers = await within(timeout, 'Redis', () => client.askMasters(['INFO', 'replication']));
      if (answers.some((info) => /^role:slave/m.test(String(info))))
        throw mistake('redisStore: this server is a replica; use the address of the primary', 'OQ115');
    },

    async close() {
      policy.stop();
    },
  };
}

/** The part of a name that determines its slot in a cluster. */
const tagOf = (name: string): string => /^[^{]*\{([^}]+)\}/.exec(name)?.[1] ?? name;

/** Groups different names by slot: a cluster rejects a command with names of several slots. */
function bySlot(names: readonly string[]): string[][] {
  const groups = new Map<string, string[]>();
  for (const name of new Set(names)) {
    const tag = tagOf(name);
    const group = groups.get(tag);
    if (group) group.push(name);
    else groups.set(tag, [name]);
  }
  return [...groups.values()];
}

/** Parses a record from Redis; `null` if there is none. */
function parse(record: unknown, now: number): object | undefined {
  if (record === null) return undefined;
  const [, deadline, json] = (typeof record === 'string' && /^(\d+) \S+ (.*)$/s.exec(record)) || [];
  if (deadline === undefined) throw nonsense('GET', record);
  return Number(deadline) > now ? parseRecord(json) : undefined;
}
