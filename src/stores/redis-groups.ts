import { createHash } from 'node:crypto';
import type { ListPage, ListRequest } from '../core/base/ports.js';
import { CLOCK_SLACK_MS } from './clearing.js';
import { isTexts, nonsense, pageOf } from './record.js';

/** The number of buckets of a group. With another number, existing entries would not be found. */
const BUCKETS = 16;

/**
 * Adds an entry to a bucket: a sorted set of members with equal scores, which Redis keeps in byte order. A member is the key, a
 * tab (which keys cannot contain), and the expiry in base 36: Redis stores small sets compactly if members have at most 64 bytes, and a grant's has 62.
 *
 * An entry keeps the latest expiry it was ever given, because the record of an earlier call may be the live one. Of eight random
 * members, at most two expired ones are removed: if keys come and go, about an eighth of a bucket is expired.
 *
 * ARGV: key, expiry in base 36, the time before which entries have expired, milliseconds until Redis may drop the entry.
 */
const ENTER = `
local last = ARGV[2]
for _, old in ipairs(redis.call('ZRANGEBYLEX', KEYS[1], '[' .. ARGV[1] .. '\\t', '(' .. ARGV[1] .. '\\n')) do
  local known = string.match(old, '%w+$')
  if tonumber(known, 36) > tonumber(last, 36) then last = known end
  redis.call('ZREM', KEYS[1], old)
end
redis.call('ZADD', KEYS[1], 0, ARGV[1] .. '\\t' .. last)
local left = 2
for _, entry in ipairs(redis.call('ZRANDMEMBER', KEYS[1], 8)) do
  if left > 0 and tonumber(string.match(entry, '%w+$'), 36) <= tonumber(ARGV[3]) then
    left = left - redis.call('ZREM', KEYS[1], entry)
  end
end
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[4]) then redis.call('PEXPIRE', KEYS[1], ARGV[4]) end
return 1`;

/** Sends one command to the node responsible for the name. */
type AskRedis = (args: string[], name: string) => Promise<unknown>;

/** The groups of keys, in Redis. */
export class RedisGroups {
  readonly #ask: AskRedis;
  readonly #prefix: string;

  constructor(ask: AskRedis, prefix: string) {
    this.#ask = ask;
    this.#prefix = prefix;
  }

  /** Resolves when the key is in all these groups. */
  async enter(key: string, groups: readonly string[], end: number, now: number): Promise<void> {
    const life = String(Math.ceil(end - now) + CLOCK_SLACK_MS);
    const entering = [...new Set(groups)].map(async (group) => {
      const bucket = this.#bucket(group, bucketNumber(key));
      const entry = [key, end.toString(36), String(now - CLOCK_SLACK_MS), life];
      const entered = await this.#ask(['EVAL', ENTER, '1', bucket, ...entry], bucket);
      if (entered !== 1) throw nonsense('EVAL', entered);
    });
    await Promise.all(entering);
  }

  /** Reads all buckets at once. */
  async list(group: string, { after, limit }: ListRequest): Promise<ListPage> {
    const from = after === undefined ? '-' : `(${after}\n`;
    const asking = Array.from({ length: BUCKETS }, async (_, number) => {
      const bucket = this.#bucket(group, number);
      const entries = await this.#ask(['ZRANGEBYLEX', bucket, from, '+', 'LIMIT', '0', String(limit + 1)], bucket);
      if (!isTexts(entries) || !entries.every((entry) => entry.includes('\t'))) throw nonsense('ZRANGEBYLEX', entries);
      return entries.map((entry) => entry.slice(0, entry.indexOf('\t')));
    });
    const found = (await Promise.all(asking)).flat().sort();
    return pageOf(found, limit);
  }

  /** Keys contain no §, so no record has this name. The braces spread buckets over slots, and the digest keeps names short. */
  #bucket(group: string, number: number): string {
    const digest = createHash('sha256').update(group).digest('base64url').slice(0, 22);
    return `${this.#prefix}{${number}:${digest}}§`;
  }
}

/** FNV-1a: any function that distributes keys would do. */
function bucketNumber(key: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i += 1) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  return (hash >>> 16) % BUCKETS;
}
