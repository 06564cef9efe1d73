/**
 * A store in Redis or a Redis Cluster, for many machines.
 *
 * @module oauth-query/stores/redis
 */

import { mistake, type WarningCode } from '../core/base/mistakes.js';
import { type AdaptedClient, adaptClient, adaptFunction, type RedisClient, type SendCommand } from './redis-client.js';
import { type RedisStore, type RedisStoreSettings, storeOver } from './redis-store.js';
import { warningsTo } from './warnings.js';

export type { RedisClient, SendCommand } from './redis-client.js';
export type { RedisStore, RedisStoreSettings } from './redis-store.js';

/** Options of `redisStore`. Pass either `client` or `sendCommand`. */
export interface RedisStoreOptions extends RedisStoreSettings {
  /** A connected client of node-redis or ioredis. Unsuitable settings are reported to `onWarning`. */
  readonly client?: RedisClient | undefined;
  /** Any other client, as a function that sends one command: `(args) => client.sendCommand(args)`. */
  readonly sendCommand?: SendCommand | undefined;
  /** Called with a sentence about settings of `client` to change; default: `console.warn`. */
  readonly onWarning?: ((message: string, code: WarningCode) => void) | undefined;
}

/**
 * A store in Redis 6.2 or later, or any server with its protocol and Lua scripts (Valkey, …). Each record has one key of its own, so
 * clusters need no special setup. One round trip per call.
 *
 * ```ts
 * const client = await createClient({
 *   url,
 *   disableOfflineQueue: true, // fail immediately while Redis is unreachable
 *   socket: { connectTimeout: 2_000 },
 * }).on('error', log).connect();
 * const store = redisStore({ client });
 * await store.check();
 * ```
 *
 * `openStore` does all of this from a URL, and also replaces a client whose connection no longer answers. Reads must go to masters, as they do by default. Reconnecting
 * is up to the client. Redis must run with `maxmemory-policy noeviction`. If a check finds another policy, `add` rejects
 * until the policy is `noeviction` again; see {@link RedisStoreSettings.watchPolicy}.
 *
 * @throws TypeError at construction without a valid client.
 * @returns a store that rejects with Redis's or the client's error, with a `StoreError` with the code `STORE_TIMEOUT` if no
 * response arrives in time, with `STORE_ANSWER` if the response is invalid, and with `STORE_EVICTS` if Redis may evict live records.
 */
export function redisStore(options: RedisStoreOptions): RedisStore {
  const client = clientOf(options);
  if (client.advice !== undefined) warningsTo(options.onWarning)(client.advice, 'OQ502');
  return storeOver(client, options);
}

/** A client in place of the options has both functions in its prototype, and they fail apart from it. */
function clientOf(options: RedisStoreOptions): AdaptedClient {
  const { client, sendCommand }: RedisStoreOptions = { ...options };
  if (client !== undefined) return adaptClient(client);
  if (typeof sendCommand === 'function') return adaptFunction(sendCommand);
  throw mistake('redisStore: pass { client } or { sendCommand }', 'OQ100');
}
