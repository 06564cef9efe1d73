import type { Store } from '../../../src/core/base/ports.js';

/** A store at which one call waits until it is let go. */
export class Gate {
  readonly store: Store;
  #held:
    | { readonly verb: string; readonly part: string; readonly arrive: () => void; readonly go: Promise<void> }
    | undefined;

  constructor(store: Store) {
    this.store = {
      ...store,
      add: async (key, ...rest) => (await this.#pass('add', key), store.add(key, ...rest)),
      get: async (key) => (await this.#pass('get', key), store.get(key)),
      ...(store.getMany && {
        getMany: async (keys) => (await this.#pass('getMany', keys.join()), store.getMany?.(keys) ?? []),
      }),
    };
  }

  /** Holds the next such call. */
  hold(verb: 'add' | 'get' | 'getMany', part: string): { readonly arrived: Promise<void>; readonly letGo: () => void } {
    let letGo = (): void => undefined;
    let arrive = (): void => undefined;
    const go = new Promise<void>((resolve) => (letGo = resolve));
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    this.#held = { verb, part, arrive, go };
    return { arrived, letGo };
  }

  async #pass(verb: string, key: string): Promise<void> {
    const held = this.#held;
    if (held?.verb !== verb || !key.includes(held.part)) return;
    this.#held = undefined;
    held.arrive();
    await held.go;
  }
}
