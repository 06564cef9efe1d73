/**
 * Adapts a node-redis or ioredis client to the store: how to send a command, how to reach every master, and which of its
 * settings are unsuitable for a store whose records work once.
 */

import { mistake } from '../core/base/mistakes.js';
import { field } from './field.js';

/**
 * Sends one command and resolves to Redis's response, or rejects with its error. A cluster client finds the node by `key`, which is
 * only absent for {@link RedisStore.check}.
 */
export type SendCommand = (args: string[], key: string | undefined) => Promise<unknown>;

/**
 * A client of node-redis (`createClient`, `createCluster`, `createSentinel`, `createClientPool`) or ioredis (`Redis`, `Cluster`).
 */
export type RedisClient =
  | {
      /** Sends a command: ioredis. */
      call(command: string, ...args: string[]): Promise<unknown>;
    }
  | {
      /** Sends a command: node-redis. */
      sendCommand(...args: never[]): Promise<unknown>;
    };

/** A client as used by the store. */
export interface AdaptedClient {
  readonly sendCommand: SendCommand;
  /** Sends one command to every master of a cluster, or to the single server. */
  askMasters(args: string[]): Promise<readonly unknown[]>;
  /** A sentence about settings to change; `undefined` if there are none, or they are unknown. */
  readonly advice: string | undefined;
}

type Send = (...args: unknown[]) => Promise<unknown>;

/** @throws TypeError if it is not a client of either library. */
export function adaptClient(client: RedisClient): AdaptedClient {
  const call = methodOf(client, 'call');
  if (call) return adaptIoredis(client, call);
  const send = methodOf(client, 'sendCommand');
  if (send) return adaptNodeRedis(client, send);
  throw mistake('redisStore: client must be a client of node-redis or ioredis; for others, pass sendCommand', 'OQ100');
}

/** A store created with a function only reaches a single server. */
export const adaptFunction = (sendCommand: SendCommand): AdaptedClient => ({
  sendCommand,
  askMasters: async (args) => [await sendCommand(args, undefined)],
  advice: undefined,
});

function adaptIoredis(client: object, call: Send): AdaptedClient {
  const options = field(client, 'options');
  const nodes = methodOf(client, 'nodes');
  const ofNode = nodes ? field(options, 'redisOptions') : options;
  const isResent = nodes
    ? field(options, 'retryDelayOnFailover') !== 0
    : field(options, 'maxRetriesPerRequest') !== 0 && field(options, 'autoResendUnfulfilledCommands') !== false;
  return {
    sendCommand: (args) => call(...args),
    askMasters: async (args) =>
      nodes === undefined
        ? [await call(...args)]
        : Promise.all(listOf(nodes('master')).map(async (node) => methodOf(node, 'call')?.(...args))),
    advice: adviceFor('ioredis', [
      isResent && (nodes ? 'retryDelayOnFailover: 0' : 'maxRetriesPerRequest: 0'),
      field(options, 'enableOfflineQueue') !== false && 'enableOfflineQueue: false',
      field(ofNode, 'socketTimeout') === undefined &&
        (nodes ? 'redisOptions.socketTimeout: 3000' : 'socketTimeout: 3000'),
    ]),
  };
}

function adaptNodeRedis(client: object, send: Send): AdaptedClient {
  const nodeClient = methodOf(client, 'nodeClient');
  if (nodeClient) {
    const masters = (): readonly unknown[] => listOf(field(client, 'masters'));
    // A cluster hides its settings; those of its connections are visible once there are some.
    const options = field(
      masters()
        .map((node) => field(node, 'client'))
        .find(Boolean),
      'options',
    );
    return {
      sendCommand: (args, key) => send(key, false, args),
      askMasters: (args) =>
        Promise.all(masters().map(async (node) => methodOf(await nodeClient(node), 'sendCommand')?.(args))),
      advice: nodeRedisAdvice(options, 'defaults.'),
    };
  }
  const sendCommand: SendCommand = methodOf(client, 'getMasterNode')
    ? (args) => send(false, args)
    : (args) => send(args);
  return { ...adaptFunction(sendCommand), advice: nodeRedisAdvice(field(client, 'options'), '') };
}

const nodeRedisAdvice = (options: unknown, prefix: string): string | undefined =>
  options === undefined
    ? undefined
    : adviceFor('node-redis', [field(options, 'disableOfflineQueue') !== true && `${prefix}disableOfflineQueue: true`]);

function adviceFor(library: string, settings: readonly (string | false)[]): string | undefined {
  const wanted = settings.filter((setting) => setting !== false);
  if (wanted.length === 0) return undefined;
  return (
    `redisStore: set ${wanted.join(', ')} on the ${library} client. Otherwise it may send a command long after its request has ` +
    'been answered, or keep a connection that no longer answers.'
  );
}

function methodOf(value: unknown, name: string): Send | undefined {
  const method = field(value, name);
  return typeof method === 'function' ? (...args) => Reflect.apply(method, value, args) : undefined;
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
