import type { Store } from '../../../src/core/base/ports.js';
import type { ChainRecord } from '../../../src/core/oauth/records/chain-record.js';
import type { MemoryStore } from '../../../src/stores/memory.js';
import { type HostOptions, oneHostEach, type RunningHost } from '../../hosts.js';
import { type Fixture, fixture } from './fixture.js';
import { Flows } from './tokens.js';

/** The grant of a token, as it stands in keys: the id of its connection is a tag. */
export const grantPart = (token: string): string => `{${token.slice(0, 12)}}${token.slice(12, 22)}`;

/** The records of a store that are not what is left of a token, a grant or a connection that has ended. */
export const liveIn = (store: MemoryStore): readonly (readonly [key: string, value: object])[] =>
  [...store.entries()].filter(
    ([, value]) => Reflect.get(value, 'client_id') !== '' && Reflect.get(value, 'ended') !== true,
  );

/** Turns of the event loop. */
export const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

/** They are one server to the world. */
export const ISSUER = 'http://127.0.0.1';

/** One process of several that share a store. */
export interface Node {
  readonly flows: Flows;
  readonly host: RunningHost;
  readonly errors: unknown[];
}

/** What is different about one process. */
export interface NodeSetup {
  readonly options?: HostOptions;
  /** What stands between this process and the store. */
  readonly between?: (store: Store) => Store;
  /** Milliseconds by which its clock is ahead. */
  readonly ahead?: number;
  /** The host has configured none. */
  readonly hasNoSecret?: boolean;
}

/** Processes that share a store. */
export class Nodes {
  readonly #nodes: Node[] = [];
  readonly shared: Fixture;

  constructor(options: Parameters<typeof fixture>[0] = {}) {
    this.shared = fixture(options);
  }

  async start({ options, between = (store) => store, ahead = 0, hasNoSecret = false }: NodeSetup = {}): Promise<Node> {
    const [host] = oneHostEach;
    const { store, clock, options: shared } = this.shared;
    const { secret, ...common } = shared;
    const errors: unknown[] = [];
    const running = await host.start({
      options: {
        ...common,
        ...(secret === undefined || hasNoSecret ? {} : { secret }),
        issuer: ISSUER,
        store: between(store),
        runtime: { ...common.runtime, clock: () => clock() + ahead },
        onError: (error) => errors.push(error),
        ...options,
      },
    });
    const node = { flows: new Flows(running), host: running, errors };
    this.#nodes.push(node);
    return node;
  }

  /** The keys of this kind that belong to the grant of a token. */
  keysOf(kind: string, token: string): readonly string[] {
    const part = `:${kind}:${grantPart(token)}`;
    return liveIn(this.shared.store)
      .map(([key]) => key)
      .filter((key) => key.includes(part));
  }

  /** How many refresh tokens of a grant could be used now. */
  chains(token: string): number {
    return this.keysOf('grant', token).length === 0 || (this.chainOf(token)?.current ?? null) === null ? 0 : 1;
  }

  /** The chain of the grant of a token. */
  chainOf(token: string): ChainRecord | undefined {
    const [key] = this.keysOf('chain', token);
    for (const [name, value] of this.shared.store.entries()) if (name === key) return value as ChainRecord; // By its key.
    return undefined;
  }

  async close(): Promise<void> {
    await Promise.all(this.#nodes.map(({ host }) => host.close()));
  }
}

/** What happens to a call of the store. */
export type Fate = 'lost on its way there' | 'carried out, and its answer lost' | 'the last of a process';

/** A store of which one call goes wrong. */
export class Line {
  readonly store: Store;
  readonly #inner: Store;
  #calls = 0;
  #fate: { readonly call: number; readonly fate: Fate } | undefined;
  #isDead = false;
  #onDeath: () => void = () => undefined;
  /** Resolves when the process is dead. */
  death: Promise<void> = Promise.resolve();

  constructor(store: Store) {
    this.#inner = store;
    this.store = {
      add: (...record) => this.#call(() => store.add(...record)),
      swap: (...record) => this.#call(() => store.swap(...record)),
      get: (key) => this.#call(() => store.get(key)),
      delete: (key) => this.#call(() => store.delete(key)),
      getMany: (keys) => this.#call(() => this.#getMany(keys)),
    };
  }

  /** Counts from here on, and lets the call with this number go wrong, once. */
  watch(call?: number, fate: Fate = 'lost on its way there'): void {
    this.#calls = 0;
    this.#fate = call === undefined ? undefined : { call, fate };
    this.death = new Promise((resolve) => {
      this.#onDeath = resolve;
    });
  }

  get calls(): number {
    return this.#calls;
  }

  #getMany(keys: readonly string[]): Promise<readonly (object | undefined)[]> {
    return Promise.all(keys.map((key) => this.#inner.get(key)));
  }

  async #call<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isDead) return new Promise(() => undefined);
    this.#calls += 1;
    if (this.#calls !== this.#fate?.call) return work();
    const { fate } = this.#fate;
    if (fate === 'the last of a process') {
      this.#isDead = true;
      await work();
      this.#onDeath();
      return new Promise(() => undefined);
    }
    if (fate === 'carried out, and its answer lost') await work();
    throw new Error('The connection to the store was cut.');
  }
}
