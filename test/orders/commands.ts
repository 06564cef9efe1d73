import { digestOf } from './history.js';
import type { Full, Method } from './steps.js';

/** A command of a process, or a call of the host. */
export interface Command {
  /** The same in each order: its process, what it does, and how often the process did it before. */
  readonly name: string;
  readonly method: Method;
  readonly keys: readonly string[];
  /** Groups that its key enters. */
  readonly groups?: readonly string[] | undefined;
  readonly given: readonly unknown[];
}

export const kindOf = ([key = '']: readonly string[]): string => key.split(':')[1] ?? '';

/** The commands of one process, each of which waits for its answer. */
export class Commands {
  /** Grows with each command, and each answer. */
  events = 0;
  readonly #waiting = new Map<string, (result: Promise<unknown>) => void>();
  readonly #counts = new Map<string, number>();
  readonly #actor: string;
  readonly #heard: (command: Command) => void;

  constructor(actor: string, heard: (command: Command) => void) {
    this.#actor = actor;
    this.#heard = heard;
  }

  /** @param isTorn - Whether each key of a `getMany` is read by a command of its own. */
  store(isTorn: boolean): Full {
    const get = (key: string): Promise<never> => this.wait('get', [key], [key]);
    return {
      add: (key, ...rest) => this.wait('add', [key], [key, ...rest], rest[2]),
      swap: (key, ...rest) => this.wait('swap', [key], [key, ...rest], rest[3]),
      get,
      getMany: (keys) => (isTorn ? Promise.all(keys.map(get)) : this.wait('getMany', keys, [keys])),
      delete: (key) => this.wait('delete', [key], [key]),
      list: (group, page) => this.wait('list', [group], [group, page]),
    };
  }

  wait(method: Method, keys: readonly string[], given: readonly unknown[], groups?: Command['groups']): Promise<never> {
    this.events += 1;
    const kind = `${this.#actor}.${method}-${kindOf(keys)}.${digestOf(keys).slice(0, 3)}`;
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    const name = count === 1 ? kind : `${kind}.${count}`;
    return new Promise((resolve) => {
      this.#waiting.set(name, (result) => resolve(result as Promise<never>)); // What the method returns.
      this.#heard({ name, method, keys: [...keys], groups, given: structuredClone(given) });
    });
  }

  answer(name: string, result: Promise<unknown>): void {
    const reply = this.#waiting.get(name);
    if (reply === undefined) throw new Error(`No command waits that is named ${name}.`);
    this.#waiting.delete(name);
    this.events += 1;
    reply(result);
  }
}
