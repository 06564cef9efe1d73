import type { Revision, Store } from '../../../src/core/base/ports.js';

export interface StoreCall {
  readonly verb: 'add' | 'swap' | 'get' | 'delete';
  readonly key: string;
}

/** A store whose reads all go through `get`. */
export const withoutGetMany = (store: Store): Store => {
  const { getMany: _, ...single } = store;
  return single;
};

/** Turns of the event loop, as a store on the other side of a network takes them. */
const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

/** Answers after none to three turns of the event loop, in an order that a seed decides. */
export const distantStore = (store: Store, seed: number): Store => {
  let state = seed;
  const wait = (): Promise<void> => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return turns(state >>> 30);
  };
  return {
    add: async (...record) => (await wait(), store.add(...record)),
    swap: async (...record) => (await wait(), store.swap(...record)),
    get: async (key) => (await wait(), store.get(key)),
    delete: async (key) => (await wait(), store.delete(key)),
  };
};

/** Whether a chain of tokens is replaced after the response, which does not wait for it. */
export const isTidyUp = (value: object): boolean =>
  typeof Reflect.get(value, 'done') === 'string' || Reflect.has(value, 'used_ms');

/** What a broken store does instead of answering. */
export const FAULTS = {
  rejects: () => Promise.reject(new Error('the secret reason of the store')),
  'answers nonsense': () => Promise.resolve('nonsense'),
} as const;

/** A store whose calls can be counted, and of which one can be made to fail. */
export class FaultyStore implements Store {
  readonly #store: Store;
  #calls: StoreCall[] = [];
  #failing: { readonly call: number; readonly fault: () => Promise<unknown> } | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  /** The calls since the last {@link watch}. */
  get calls(): readonly StoreCall[] {
    return this.#calls;
  }

  /** Counts from here on, and lets the call with this number fail, once. */
  watch(call?: number, fault: () => Promise<unknown> = FAULTS.rejects): void {
    this.#calls = [];
    this.#failing = call === undefined ? undefined : { call, fault };
  }

  add(key: string, value: object, expiresAt: number): Promise<boolean> {
    return this.#answer('add', key, () => this.#store.add(key, value, expiresAt));
  }

  swap(key: string, before: string, value: Revision & object, expiresAt: number): Promise<boolean> {
    const swap = (): Promise<boolean> => this.#store.swap(key, before, value, expiresAt);
    // Comes at any time, and belongs to a request that is over.
    return isTidyUp(value) ? swap() : this.#answer('swap', key, swap);
  }

  get(key: string): Promise<object | undefined> {
    return this.#answer('get', key, () => this.#store.get(key));
  }

  delete(key: string): Promise<void> {
    return this.#answer('delete', key, () => this.#store.delete(key));
  }

  #answer<T>(verb: StoreCall['verb'], key: string, answer: () => Promise<T>): Promise<T> {
    this.#calls.push({ verb, key });
    // A fault breaks the promise of the type, and that is what it is for.
    return this.#calls.length === this.#failing?.call ? (this.#failing.fault() as Promise<T>) : answer();
  }
}
