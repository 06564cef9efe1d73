import { oauthQuery } from 'oauth-query/fetch';
import type { Store } from 'oauth-query/store';
import { weakStore } from 'oauth-query/testing';
import { type About, type Act, digestOf, type Server } from './history.js';
import { Lives } from './lives.js';
import { begin, countedCalls, counting, isUnderWay, randomOf } from './under-way.js';

export const START = Date.UTC(2030, 0, 1);
export const ISSUER = 'http://127.0.0.1';
export const SECOND = 1000;
export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

export type Options = NonNullable<Parameters<typeof oauthQuery>[0]>;
/** A store that can do all. */
export type Full = Required<Store>;

/** What may happen to a command, next to being carried out; to a process; and to all. */
const OF_COMMANDS = ['lost', 'late', 'twice'] as const;
const OF_PROCESSES = ['ends', 'hangs up', 'forgets'] as const;
const TIMES = { '11 s': 11 * SECOND, '61 s': 61 * SECOND, 'an hour': HOUR, '200 days': 200 * DAY } as const;
/** How the clock of the first process differs, from the beginning. */
const CLOCKS = { ahead: 29 * SECOND, behind: -29 * SECOND, 'an hour ahead': HOUR } as const;

/** `torn`: each key of a `getMany` is read by a step of its own. */
export type Fault =
  | (typeof OF_COMMANDS)[number]
  | (typeof OF_PROCESSES)[number]
  | keyof typeof TIMES
  | keyof typeof CLOCKS
  | 'torn';

type Method = keyof Full | 'ask' | 'change';

/** What options may depend on. */
export interface Host {
  /** Whether this is a fact of the host by now. */
  readonly is: (fact: string) => Promise<boolean>;
  /** The store of the process. */
  readonly store: Full;
  readonly clock: () => number;
}

/** The facts of the host, as they are touched by steps. */
const HOST = [':host'];

/** A command of a process, or a call of the host, that waits for its turn. */
interface Pending {
  readonly actor: string;
  /** The same in each order: its process, what it does, and how often the process did it before. */
  readonly name: string;
  readonly method: Method;
  readonly keys: readonly string[];
  /** Groups that its key enters. */
  readonly groups?: readonly string[] | undefined;
  readonly carryOut: () => Promise<unknown>;
  readonly reply: (result: Promise<unknown>) => void;
}

/** A step of a schedule. */
export interface Step {
  /** As schedules are written: `A.swap-chain.1f3`, with a fault `….lost`; `A:ends`; `…:again` for a command that is late or sent twice; `time:11-s`. */
  readonly id: string;
  /** As a person reads it. */
  readonly text: string;
  readonly actor: string;
  readonly isFault: boolean;
  /** Undefined: whatever it touches. */
  readonly reads: readonly string[] | undefined;
  readonly writes: readonly string[];
  /** Groups that it adds to: only who lists them sees a difference. */
  readonly joins?: readonly string[];
  readonly take: () => void;
}

const READS: ReadonlySet<Method> = new Set(['get', 'getMany', 'list', 'ask'] as const);

/**
 * Whether two steps lead to the same state in either order. So do commands of one process that wait at the same moment: what goes on then waits for
 * all of them, or for one that the other does not change.
 */
export const commute = (one: Step, other: Step): boolean => {
  const touches = ({ writes, joins = [] }: Step, { reads, writes: others }: Step): boolean =>
    writes.some((key) => reads?.includes(key) === true || others.includes(key)) ||
    joins.some((group) => reads?.includes(group) === true);
  const isAll = one.reads === undefined || other.reads === undefined;
  const isOfOne = one.actor === other.actor && (one.isFault || other.isFault);
  return !isAll && !isOfOne && !touches(one, other) && !touches(other, one);
};

const kindOf = ([key = '']: readonly string[]): string => key.split(':')[1] ?? '';

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Turns of the event loop without a new command or response after which every request stands still. */
const STILL = 3;

interface Timed {
  readonly at: number;
  readonly run: () => void;
}

/** A write of what happened before the requests, when it happened. */
type Logged = readonly [now: number, command: (store: Full) => Promise<unknown>];

export interface Past {
  readonly now: number;
  readonly log: readonly Logged[];
  readonly history: readonly Act[];
  readonly tick: number;
}

/** What is undone if a failover forgets it. */
interface Written {
  readonly key: string;
  readonly undo: () => void;
}

const worlds = new WeakMap<Server, { readonly world: World; readonly actor: string }>();

/** Several processes of one server on one store, whose commands wait until a schedule chooses them. */
export class World {
  now = START;
  readonly store = weakStore({ clock: () => this.now });
  readonly history: Act[] = [];
  readonly lives: Lives;
  /** What happened before the requests, as it is repeated for the next run. */
  readonly log: Logged[] = [];
  readonly #facts = new Set<string>();
  readonly #options: (host: Host) => Options;
  readonly #shared: Full;
  readonly #pending: Pending[] = [];
  readonly #ended = new Set<string>();
  readonly #counts = new Map<string, number>();
  readonly #stores = new Map<string, Full>();
  readonly #timers = new Set<Timed>();
  readonly #clients = new Map<string, Set<() => void>>();
  readonly #written = new Map<string, Written>();
  /** What the commands of processes returned, as digests, and what is stored. */
  readonly #told = new Map<string, string>();
  readonly #stored = new Map<string, string>();
  readonly #groups = new Set<string>();
  readonly #faults: readonly Fault[];
  #outside: Server | undefined;
  #events = 0;
  #tick = 0;

  /** @param between - A store that is not what it should be, to see whether the exploration notices. */
  constructor(
    options: Options | ((host: Host) => Options),
    faults: readonly Fault[] = [],
    between: (store: Full) => Full = (store) => store,
  ) {
    this.#options = typeof options === 'function' ? options : () => options;
    this.#faults = faults;
    this.#shared = between(this.store);
    this.lives = new Lives(this.store);
  }

  /** Without a queue: for what happens before the requests, and for what is asked afterwards. */
  get outside(): Server {
    this.#outside ??= this.#named(
      'outside',
      countedCalls(
        this.#server(this.#counts.size === 0 ? 'before' : 'after', this.logged, async (fact) => this.#facts.has(fact)),
      ),
    );
    return this.#outside;
  }

  /** The store of what happens before the requests. */
  get logged(): Full {
    const { log } = this;
    const store = this.#shared;
    const write = <T>(command: (store: Full) => Promise<T>): Promise<T> => {
      log.push([this.now, command]);
      return command(store);
    };
    return {
      get: (key) => store.get(key),
      getMany: (keys) => store.getMany(keys),
      list: (group, page) => store.list(group, page),
      add: (...given) => write((at) => at.add(...given)),
      swap: (...given) => write((at) => at.swap(...given)),
      delete: (key) => write((at) => at.delete(key)),
    };
  }

  /** What has happened, for another world that begins with it. */
  get past(): Past {
    return { now: this.now, log: [...this.log], history: [...this.history], tick: this.#tick };
  }

  /** Begins with a past. */
  async begin({ now, log, history, tick }: Past): Promise<void> {
    for (const [at, command] of log) {
      this.now = at;
      await command(this.#shared);
    }
    this.now = now;
    this.history.push(...history);
    this.#tick = tick;
    this.lives.begin();
  }

  #named(actor: string, server: Server): Server {
    worlds.set(server, { world: this, actor });
    return server;
  }

  static of(server: Server): { readonly world: World; readonly actor: string } {
    const found = worlds.get(server);
    if (found === undefined) throw new Error('The server belongs to no world.');
    return found;
  }

  /** A request, for the history. What its client hears of is an event. */
  async act<T>(actor: string, about: readonly About[], work: () => Promise<T>): Promise<T> {
    const act: Act = { actor, about, began: (this.#tick += 1) };
    this.history.push(act);
    try {
      const answer = await work();
      act.answer = answer ?? 'done'; // Some calls of the host return nothing.
      return answer;
    } catch (error) {
      act.answer = error;
      throw error;
    } finally {
      act.ended = this.#tick += 1;
      this.#events += 1;
    }
  }

  /** A client that may go. @returns what takes it out of the list again. */
  client(actor: string, hangUp: () => void): () => void {
    const all = this.#clients.get(actor) ?? new Set();
    this.#clients.set(actor, all.add(hangUp));
    return () => void all.delete(hangUp);
  }

  /** A process whose commands wait. */
  process(name: string): Server {
    this.#counts.set(name, 0);
    const wait = (
      ...command: readonly [Method, readonly string[], Pending['carryOut'], Pending['groups']?]
    ): Promise<never> => this.#wait(name, ...command);
    const store = this.#shared;
    const get = (key: string): Promise<never> => wait('get', [key], () => store.get(key));
    this.#stores.set(name, {
      add: (key, ...rest) => wait('add', [key], () => store.add(key, ...rest), rest[2]),
      swap: (key, ...rest) => wait('swap', [key], () => store.swap(key, ...rest), rest[3]),
      get,
      getMany: (keys) =>
        this.#faults.includes('torn')
          ? Promise.all(keys.map(get))
          : wait('getMany', keys, () => Promise.all(keys.map((key) => store.get(key)))),
      delete: (key) => wait('delete', [key], () => store.delete(key)),
      list: (group, page) => wait('list', [group], () => store.list(group, page)),
    });
    const is: Host['is'] = (fact) => wait('ask', HOST, async () => this.#facts.has(fact));
    return this.#named(name, this.#server(name, this.storeOf(name), is));
  }

  /** The store as a process has it. */
  storeOf(name: string): Full {
    return this.#stores.get(name) ?? this.logged;
  }

  #wait(
    name: string,
    method: Method,
    keys: readonly string[],
    carryOut: Pending['carryOut'],
    groups?: Pending['groups'],
  ): Promise<never> {
    this.#events += 1;
    if (this.#ended.has(name)) return new Promise(() => undefined);
    const kind = `${name}.${method}-${kindOf(keys)}.${digestOf(keys).slice(0, 3)}`;
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    const id = count === 1 ? kind : `${kind}.${count}`;
    return new Promise((resolve) => {
      const reply = (result: Promise<unknown>): void => resolve(result as Promise<never>); // What the method returns.
      this.#pending.push({ actor: name, name: id, method, keys, groups, carryOut, reply });
    });
  }

  /** The host learns a fact. */
  become(actor: string, fact: string): Promise<unknown> {
    return this.#wait(actor, 'change', HOST, async () => this.#facts.add(fact));
  }

  #server(name: string, store: Full, is: Host['is']): Server {
    const skew = name === 'A' ? Object.entries(CLOCKS).find(([fault]) => this.#faults.includes(fault as Fault)) : [];
    const difference = Number(skew?.[1] ?? 0);
    const clock = (): number => this.now + difference;
    return oauthQuery({
      issuer: ISSUER,
      secret: 'a secret of the test that has 32 characters',
      ...this.#options({ is, store, clock }),
      store,
      runtime: {
        clock,
        random: randomOf(name),
        timer: (run, milliseconds) => this.#timer(run, milliseconds),
      },
      onWarning: () => undefined,
      onError: () => undefined,
    });
  }

  /** Short waits are over at once; a deadline passes where the schedule lets time pass. */
  #timer(run: () => void, milliseconds: number): () => void {
    if (milliseconds >= SECOND) {
      const timed = { at: this.now + milliseconds, run };
      this.#timers.add(timed);
      return () => void this.#timers.delete(timed);
    }
    const end = begin();
    setImmediate(() => {
      end();
      run();
    });
    return () => undefined;
  }

  /** Waits until every request has a response or a command that waits. */
  async settle(): Promise<void> {
    for (let still = 0; still < STILL; still += 1) {
      const before = this.#events;
      await turn();
      if (this.#events !== before || isUnderWay()) still = -1;
    }
  }

  /** What may be next, in a fixed order. */
  steps(faults: readonly Fault[]): readonly Step[] {
    const plain = this.#pending.map((pending) => this.#step(pending));
    if (faults.length === 0) return plain;
    const own = this.#pending.filter(({ actor }) => !actor.startsWith('~'));
    const commands = own.filter(({ method }) => method !== 'ask' && method !== 'change');
    const wrong = commands.flatMap((pending) =>
      OF_COMMANDS.filter((fault) => faults.includes(fault)).map((fault) => this.#step(pending, fault)),
    );
    const actors = [...new Set(own.map(({ actor }) => actor))];
    const happening = OF_PROCESSES.filter((fault) => faults.includes(fault)).flatMap((fault) =>
      actors.flatMap((actor) => this.#happening(fault, actor)),
    );
    const times = Object.entries(TIMES).filter(([fault]) => faults.includes(fault as Fault) && plain.length > 0);
    return [
      ...plain,
      ...wrong.filter(({ writes, id }) => writes.length > 0 || id.endsWith(':lost')),
      ...happening,
      ...times.map(([name, passes]) => this.#passing(name, passes)),
    ];
  }

  #passing(name: string, passes: number): Step {
    const take = (): void => {
      this.now += passes;
      const due = [...this.#timers].filter(({ at }) => at <= this.now).sort((one, other) => one.at - other.at);
      for (const timed of due) {
        this.#timers.delete(timed);
        timed.run();
      }
    };
    const id = `time:${name.replace(' ', '-')}`;
    return { id, text: `${name} pass`, actor: 'time', isFault: true, reads: undefined, writes: [], take };
  }

  #happening(fault: (typeof OF_PROCESSES)[number], actor: string): readonly Step[] {
    const step = { id: `${actor}:${fault.replace(' ', '-')}`, actor, isFault: true, reads: [], writes: [] };
    if (fault === 'ends') {
      const take = (): void => {
        this.#ended.add(actor);
        for (const one of this.#pending.filter((pending) => pending.actor === actor)) this.#remove(one);
      };
      return [{ ...step, text: `${actor}'s process ends`, take }];
    }
    if (fault === 'hangs up') {
      const [hangUp] = this.#clients.get(actor) ?? [];
      return hangUp === undefined ? [] : [{ ...step, text: `${actor}'s client hangs up`, take: hangUp }];
    }
    const last = this.#written.get(actor);
    if (last === undefined) return [];
    return [{ ...step, text: `a failover forgets ${actor}'s last command`, writes: [last.key], take: last.undo }];
  }

  #remove(pending: Pending): void {
    this.#pending.splice(this.#pending.indexOf(pending), 1);
  }

  #step(pending: Pending, fault?: (typeof OF_COMMANDS)[number]): Step {
    const { actor, name: id, method, keys, groups, reply } = pending;
    const kind = kindOf(keys);
    const isAgain = actor.startsWith('~');
    const name = isAgain ? `${id}:again` : id;
    const text = isAgain ? `${actor.slice(1)}'s ${method} ${kind} arrives` : `${actor}: ${method} ${kind}`;
    const take = (): void => {
      this.#remove(pending);
      this.#events += 1;
      if (fault === 'late' || fault === 'twice')
        this.#pending.push({ ...pending, actor: `~${actor}`, reply: () => undefined });
      const failed = Promise.reject(new Error('The store did not answer.'));
      failed.catch(() => undefined);
      if (fault === 'late') reply(failed);
      else {
        const result = this.#carryOut(pending);
        result.catch(() => undefined);
        reply(fault === 'lost' ? result.then(() => failed) : result);
        if (fault === undefined) void result.then((told) => this.#tell(id, told));
      }
      if (fault !== undefined) this.#tell(id, fault);
    };
    const touched = READS.has(method) ? { reads: keys, writes: [] } : { reads: [], writes: keys, joins: groups ?? [] };
    const suffix = { lost: ', and its reply is lost', late: ' comes late', twice: ' is sent twice', none: '' };
    const full = fault === undefined ? name : `${name}:${fault}`;
    return { id: full, text: text + suffix[fault ?? 'none'], actor, isFault: fault !== undefined, take, ...touched };
  }

  #carryOut({ actor, method, keys, groups, carryOut }: Pending): Promise<unknown> {
    const key = keys[0] ?? '';
    if (READS.has(method) || method === 'change') return counting(carryOut());
    if (this.#faults.includes('forgets')) this.#remember(actor, key);
    for (const group of groups ?? []) this.#groups.add(`${group} ${key}`);
    return counting(this.lives.watch(key, carryOut)).then(async (result) => {
      this.#stored.set(key, JSON.stringify(await this.store.get(key)));
      return result;
    });
  }

  #tell(command: string, told: unknown): void {
    this.#told.set(command, digestOf([told]));
  }

  /** Worlds of a scenario with the same state go on in the same way. */
  get state(): string {
    const acts = this.history.map(({ actor, began, ended, answer }) => [
      actor,
      ended !== undefined && answer instanceof Error,
      ended !== undefined,
      this.history.filter((other) => (other.ended ?? Infinity) < began).length,
    ]);
    const waiting = this.#pending.map(({ actor, name }) => actor + name);
    return digestOf([
      ...[acts, waiting.sort(), this.now, [...this.#ended], [...this.#facts], [...this.#written.keys()]],
      ...[this.#told, this.#stored].map((texts) => [...texts].map(String).sort()),
      [...this.#groups].sort(),
    ]);
  }

  /** A later write to the same key cannot be kept without this one. */
  #remember(actor: string, key: string): void {
    const before = [...this.store.entries()].find(([name]) => name === key)?.[1];
    for (const [other, { key: same }] of this.#written) if (same === key) this.#written.delete(other);
    const undo = (): void => {
      void this.store.delete(key);
      if (before !== undefined) void this.store.add(key, before, Number(Reflect.get(before, 'exp')) * SECOND);
      this.#stored.set(key, JSON.stringify(before));
      this.#told.set(`${actor} forgotten`, key);
    };
    this.#written.set(actor, { key, undo });
  }
}
