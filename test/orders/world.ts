import { createHash } from 'node:crypto';
import { oauthQuery } from 'oauth-query/fetch';
import type { Store } from 'oauth-query/store';
import { weakStore } from 'oauth-query/testing';

export const START = Date.UTC(2030, 0, 1);
export const ISSUER = 'http://127.0.0.1';

type Options = NonNullable<Parameters<typeof oauthQuery>[0]>;
export type Server = ReturnType<typeof oauthQuery>;

/** What may happen to a command, next to being carried out. */
export const FAULTS = ['lost', 'late', 'twice', 'ends'] as const;
export type Fault = (typeof FAULTS)[number];

/** A command of a process that waits for its turn. */
interface Pending {
  readonly actor: string;
  /** Its number among the commands of its process. */
  readonly number: number;
  readonly method: string;
  readonly keys: readonly string[];
  readonly carryOut: () => Promise<unknown>;
  readonly reply: (result: Promise<unknown>) => void;
}

/** A step of a schedule. */
export interface Step {
  /** As schedules are written: `A1`, with a fault `A1:lost`; `A:ends`; `A1:again` for a command that is late or sent twice. */
  readonly id: string;
  /** As a person reads it. */
  readonly text: string;
  readonly actor: string;
  readonly isFault: boolean;
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly take: () => void;
}

const READS = new Set(['get', 'getMany', 'list']);

/** Whether two steps lead to the same state in either order. */
export const commute = (one: Step, other: Step): boolean => {
  const touches = ({ writes }: Step, { reads, writes: others }: Step): boolean =>
    writes.some((key) => reads.includes(key) || others.includes(key));
  return one.actor !== other.actor && !touches(one, other) && !touches(other, one);
};

/** The same bytes for the same name, in each run. */
const randomOf = (name: string): ((size: number) => Uint8Array) => {
  let count = 0;
  return (size) => {
    const parts: Buffer[] = [];
    for (let length = 0; length < size; length += 32)
      parts.push(
        createHash('sha256')
          .update(`${name} ${(count += 1)}`)
          .digest(),
      );
    return Buffer.concat(parts).subarray(0, size);
  };
};

/** Work that is under way: of WebCrypto, and requests to the server without a queue. A request does not stand still before it has returned. */
let underWay = 0;

const counting = async <T>(work: Promise<T>): Promise<T> => {
  underWay += 1;
  try {
    return await work;
  } finally {
    underWay -= 1;
  }
};

for (const name of ['sign', 'verify', 'digest', 'importKey', 'deriveBits', 'encrypt', 'decrypt'] as const) {
  const original = crypto.subtle[name].bind(crypto.subtle) as (...given: unknown[]) => Promise<unknown>;
  const counted = (...given: unknown[]): Promise<unknown> => counting(original(...given));
  Object.defineProperty(crypto.subtle, name, { value: counted, configurable: true });
}

/** The same server, whose requests are counted. */
const counted = <T extends object>(server: T): T => {
  const get = (_: object, name: string): unknown => {
    const member: unknown = Reflect.get(server, name);
    if (typeof member === 'function')
      return (...given: unknown[]): unknown => {
        const result: unknown = member(...given);
        return result instanceof Promise ? counting(result) : result;
      };
    return typeof member === 'object' && member !== null ? counted(member) : member;
  };
  return new Proxy({}, { get }) as T; // It has the members of the server.
};

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Turns of the event loop without a new command or response after which every request stands still. */
const STILL = 3;

/** Several processes of one server on one store, whose commands wait until a schedule chooses them. */
export class World {
  now = START;
  readonly store = weakStore({ clock: () => this.now });
  /** Without a queue: for what happens before the requests, and for what is asked afterwards. */
  readonly outside: Server;
  readonly #options: Options;
  readonly #shared: Required<Store>;
  readonly #pending: Pending[] = [];
  readonly #ended = new Set<string>();
  readonly #counts = new Map<string, number>();
  #events = 0;

  /** @param between - A store that is not what it should be, to see whether the exploration notices. */
  constructor(options: Options, between: (store: Required<Store>) => Required<Store> = (store) => store) {
    this.#options = options;
    this.#shared = between(this.store);
    this.outside = counted(this.#server('outside', this.#shared));
  }

  /** A process whose commands wait. */
  process(name: string): Server {
    const wait = (method: string, keys: readonly string[], carryOut: () => Promise<unknown>): Promise<never> => {
      this.#events += 1;
      if (this.#ended.has(name)) return new Promise(() => undefined);
      const number = (this.#counts.get(name) ?? 0) + 1;
      this.#counts.set(name, number);
      return new Promise((resolve) => {
        const reply = (result: Promise<unknown>): void => resolve(result as Promise<never>); // What the method returns.
        this.#pending.push({ actor: name, number, method, keys, carryOut, reply });
      });
    };
    const store = this.#shared;
    return this.#server(name, {
      add: (key, ...rest) => wait('add', [key, ...(rest[2] ?? [])], () => store.add(key, ...rest)),
      swap: (key, ...rest) => wait('swap', [key, ...(rest[3] ?? [])], () => store.swap(key, ...rest)),
      get: (key) => wait('get', [key], () => store.get(key)),
      getMany: (keys) => wait('getMany', keys, () => store.getMany(keys)),
      delete: (key) => wait('delete', [key], () => store.delete(key)),
      list: (group, page) => wait('list', [group], () => store.list(group, page)),
    });
  }

  #server(name: string, store: Store): Server {
    return oauthQuery({
      issuer: ISSUER,
      secret: 'a secret of the test that has 32 characters',
      ...this.#options,
      store,
      runtime: {
        clock: () => this.now,
        random: randomOf(name),
        // Short waits are over at once; no deadline passes.
        timer: (run, milliseconds) => {
          if (milliseconds >= 1000) return () => undefined;
          underWay += 1;
          setImmediate(() => {
            underWay -= 1;
            run();
          });
          return () => undefined;
        },
      },
      onWarning: () => undefined,
      onError: () => undefined,
    });
  }

  /** Watches a request: its response is an event. */
  async watch<T>(request: Promise<T>): Promise<T> {
    try {
      return await request;
    } finally {
      this.#events += 1;
    }
  }

  /** Waits until every request has a response or a command that waits. */
  async settle(): Promise<void> {
    for (let still = 0; still < STILL; still += 1) {
      const before = this.#events;
      await turn();
      if (this.#events !== before || underWay > 0) still = -1;
    }
  }

  /** What may be next, in a fixed order. */
  steps(faults: readonly Fault[]): readonly Step[] {
    const plain = this.#pending.map((pending) => this.#step(pending));
    const actors = [...new Set(this.#pending.map(({ actor }) => actor))].filter((actor) => !actor.startsWith('~'));
    const wrong = this.#pending
      .filter(({ actor }) => !actor.startsWith('~'))
      .flatMap((pending) => faults.filter((fault) => fault !== 'ends').map((fault) => this.#step(pending, fault)));
    const ends = faults.includes('ends') ? actors.map((actor) => this.#end(actor)) : [];
    return [...plain, ...wrong.filter(({ writes, id }) => writes.length > 0 || id.endsWith(':lost')), ...ends];
  }

  #end(actor: string): Step {
    const take = (): void => {
      this.#ended.add(actor);
      for (const one of this.#pending.filter((pending) => pending.actor === actor)) this.#remove(one);
    };
    return { id: `${actor}:ends`, text: `${actor}'s process ends`, actor, isFault: true, reads: [], writes: [], take };
  }

  #remove(pending: Pending): void {
    this.#pending.splice(this.#pending.indexOf(pending), 1);
  }

  #step(pending: Pending, fault?: Fault): Step {
    const { actor, number, method, keys, carryOut, reply } = pending;
    const kind = keys[0]?.split(':')[1] ?? '';
    const isAgain = actor.startsWith('~');
    const name = isAgain ? `${actor.slice(1)}:again` : `${actor}${number}`;
    const text = isAgain ? `${actor.slice(1, 2)}'s ${method} ${kind} arrives` : `${actor}: ${method} ${kind}`;
    const take = (): void => {
      this.#remove(pending);
      this.#events += 1;
      if (fault === 'late' || fault === 'twice')
        this.#pending.push({ actor: `~${actor}${number}`, number, method, keys, carryOut, reply: () => undefined });
      const failed = Promise.reject(new Error('The store did not answer.'));
      failed.catch(() => undefined);
      if (fault === 'late') reply(failed);
      else {
        const result = carryOut();
        result.catch(() => undefined);
        reply(fault === 'lost' ? result.then(() => failed) : result);
      }
    };
    const touched = READS.has(method) ? { reads: keys, writes: [] } : { reads: [], writes: keys };
    const suffix = { lost: ', and its reply is lost', late: ' comes late', twice: ' is sent twice', ends: '' };
    return {
      ...{
        id: fault === undefined ? name : `${name}:${fault}`,
        text: text + (fault === undefined ? '' : suffix[fault]),
      },
      ...{ actor, isFault: fault !== undefined, take, ...touched },
    };
  }
}
