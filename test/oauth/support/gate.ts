import type { Store } from '../../../src/core/base/ports.js';

/** A store at which one call waits until it is let go. */
export class Gate {
  readonly store: Store;
  #held:
    | {
        readonly verb: string;
        readonly part: string;
        readonly isMeant: (value: object) => boolean;
        readonly arrive: () => void;
        readonly go: Promise<void>;
      }
    | undefined;

  constructor(store: Store) {
    this.store = {
      ...store,
      add: async (key, ...rest) => (await this.#pass('add', key, rest[0]), store.add(key, ...rest)),
      swap: async (key, ...rest) => (await this.#pass('swap', key, rest[1]), store.swap(key, ...rest)),
      get: async (key) => (await this.#pass('get', key), store.get(key)),
      ...(store.getMany && {
        getMany: async (keys) => (await this.#pass('getMany', keys.join()), store.getMany?.(keys) ?? []),
      }),
    };
  }

  /**
   * Holds the next such call.
   *
   * @param isMeant - Which values are meant, of those that are written.
   */
  hold(
    verb: 'add' | 'swap' | 'get' | 'getMany',
    part: string,
    isMeant: (value: object) => boolean = () => true,
  ): { readonly arrived: Promise<void>; readonly letGo: () => void } {
    let letGo = (): void => undefined;
    let arrive = (): void => undefined;
    const go = new Promise<void>((resolve) => (letGo = resolve));
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    this.#held = { verb, part, isMeant, arrive, go };
    return { arrived, letGo };
  }

  async #pass(verb: string, key: string, value: object = {}): Promise<void> {
    const held = this.#held;
    if (held?.verb !== verb || !key.includes(held.part) || !held.isMeant(value)) return;
    this.#held = undefined;
    held.arrive();
    await held.go;
  }
}
