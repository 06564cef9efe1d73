import { oauthQuery } from 'oauth-query/fetch';
import { weakStore } from 'oauth-query/testing';
import { type Command, Commands } from './commands.js';
import type { About, Act, Server } from './history.js';
import { Lives } from './lives.js';
import type { Done, Heard, Played, Process, Reaction } from './process.js';
import { Queue } from './queue.js';
import { CLOCKS, type Fault, type Full } from './steps.js';
import { begin, countedCalls, isUnderWay, randomOf } from './under-way.js';

export const START = Date.UTC(2030, 0, 1);
export const ISSUER = 'http://127.0.0.1';
export const SECOND = 1000;
export const HOUR = 3600 * SECOND;
export const DAY = 24 * HOUR;

export type Options = NonNullable<Parameters<typeof oauthQuery>[0]>;

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

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Turns of the event loop without a new command or response after which every request stands still. */
const STILL = 3;

interface Timed {
  readonly at: number;
  readonly run: () => void;
}

/** A write of what happened before the requests, when it happened. */
type Logged = readonly [now: number, command: (store: Full) => Promise<unknown>];

/** What has happened, for worlds that begin with it. */
export interface Past {
  readonly now: number;
  readonly log: readonly Logged[];
  readonly history: readonly Act[];
  readonly tick: number;
}

/** Reads that no write comes between need not be slow: a schedule tells them apart. */
const FREEDOMS = ['entries-end', 'entries-stay', 'expired-stay'] as const;

const worlds = new WeakMap<Server, { readonly world: World; readonly actor: string }>();

/** Several processes of one server on one store, whose commands wait until a schedule chooses them; or one of them that runs alone. */
export class World {
  now = START;
  readonly store = weakStore({ clock: () => this.now, freedoms: FREEDOMS });
  readonly history: Act[] = [];
  readonly lives = new Lives(this.store);
  readonly queue: Queue;
  readonly #log: Logged[] = [];
  readonly #facts = new Set<string>();
  readonly #options: (host: Host) => Options;
  readonly #shared: Full;
  readonly #stores = new Map<string, Full>();
  readonly #timers = new Set<Timed>();
  readonly #clients = new Map<string, Set<() => void>>();
  readonly #faults: readonly Fault[];
  readonly #heard: ((done: Done) => void) | undefined;
  readonly #played = new Map<string, Played>();
  /** What each process was asked for has come to. */
  readonly answers = new Map<string, unknown>();
  commands: Commands | undefined;
  #hasBegun = false;
  readonly #acts = new Map<string, Act>();
  #requests = 0;
  #outside: Server | undefined;
  #events = 0;
  #tick = 0;

  /** @param between - A store that is not what it should be, to see whether the exploration notices. */
  constructor(
    options: Options | ((host: Host) => Options),
    faults: readonly Fault[] = [],
    between: (store: Full) => Full = (store) => store,
    heard?: (done: Done) => void,
  ) {
    this.#heard = heard;
    this.#options = typeof options === 'function' ? options : () => options;
    this.#faults = faults;
    this.#shared = between(this.store);
    this.queue = new Queue(
      {
        carryOut: (command) => this.#carryOut(command),
        undoOf: (key) => this.#undoOf(key),
        pass: (milliseconds) => this.#passForAll(milliseconds),
        hangUpOf: (actor) => {
          const played = this.#played.get(actor);
          if (played?.reaction.hasClient !== true) return undefined;
          return async () => this.#react(actor, await played.hear({ type: 'hang up' }));
        },
      },
      faults,
    );
  }

  static of(server: Server): { readonly world: World; readonly actor: string } {
    const found = worlds.get(server);
    if (found === undefined) throw new Error('The server belongs to no world.');
    return found;
  }

  /** Without a queue: for what happens before the requests, and for what is asked afterwards. */
  get outside(): Server {
    const name = this.#hasBegun ? 'after' : 'before';
    const is: Host['is'] = async (fact) => this.#facts.has(fact);
    this.#outside ??= this.#named('outside', countedCalls(this.#server(name, this.logged, is)));
    return this.#outside;
  }

  /** The store of what happens before the requests. */
  get logged(): Full {
    const store = this.#shared;
    const write = <T>(command: (at: Full) => Promise<T>): Promise<T> => {
      this.#log.push([this.now, command]);
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

  get past(): Past {
    return { now: this.now, log: [...this.#log], history: [...this.history], tick: this.#tick };
  }

  /** Begins with a past, for a process that has no store of its own. */
  beginLater({ now, tick }: Past): void {
    this.now = now;
    this.#tick = tick;
    this.#hasBegun = true;
  }

  /** Begins with a past. */
  async begin({ now, log, history, tick }: Past): Promise<void> {
    this.#hasBegun = true;
    for (const [at, command] of log) {
      this.now = at;
      await command(this.#shared);
    }
    this.now = now;
    this.history.push(...history);
    this.#tick = tick;
    if (this.#faults.includes('no rev')) await this.#forgetRevisions();
    this.lives.begin();
  }

  /** Records that an older version has written. */
  async #forgetRevisions(): Promise<void> {
    for (const [key, value] of [...this.store.entries()]) {
      const { rev, ...rest } = value as Readonly<Record<string, unknown>>;
      if (rev === undefined) continue;
      await this.store.delete(key);
      await this.store.add(key, rest, Number(rest['exp']) * SECOND);
    }
  }

  /** A request, for the history. What its client hears of is an event. */
  async act<T>(actor: string, about: readonly About[], work: () => Promise<T>): Promise<T> {
    const act: Act = { actor, about, began: (this.#tick += 1), at: this.now };
    const request = (this.#requests += 1);
    this.#heard?.({ type: 'begin', request, about, at: act.at });
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
      this.#heard?.({ type: 'end', request, answer: act.answer });
    }
  }

  /** A client that may go. @returns what takes it out of the list again. */
  client(actor: string, hangUp: () => void): () => void {
    const all = this.#clients.get(actor) ?? new Set();
    this.#clients.set(actor, all.add(hangUp));
    return () => void all.delete(hangUp);
  }

  get hasClient(): boolean {
    return [...this.#clients.values()].some((all) => all.size > 0);
  }

  hangUp(): void {
    const [first] = [...this.#clients.values()].flatMap((all) => [...all]);
    first?.();
  }

  /** A process whose commands wait for their answers. */
  process(name: string): Server {
    const commands = new Commands(name, (command) => this.#heard?.({ type: 'command', command }));
    this.commands = commands;
    const store = commands.store(this.#faults.includes('torn'));
    this.#stores.set(name, store);
    const is: Host['is'] = (fact) => commands.wait('ask', HOST, [fact]);
    return this.#named(name, this.#server(name, store, is));
  }

  /** A process in this order. */
  async join(process: Process): Promise<void> {
    const played = await process.played();
    this.#played.set(process.name, played);
    this.#react(process.name, played.reaction);
  }

  /** Takes over what a process has done. */
  #react(actor: string, { done }: Reaction): void {
    for (const one of done) {
      if (this.queue.isEnded(actor)) return;
      if (one.type === 'command') {
        const { command } = one;
        this.queue.add(actor, command, async (result) => this.#hear(actor, command.name, result));
      } else if (one.type === 'begin') {
        const act: Act = { actor, about: one.about, began: (this.#tick += 1), at: one.at };
        this.#acts.set(`${actor} ${one.request}`, act);
        this.history.push(act);
      } else if (one.type === 'end') {
        const act = this.#acts.get(`${actor} ${one.request}`);
        if (act !== undefined) Object.assign(act, { answer: one.answer, ended: (this.#tick += 1) });
      } else if (one.type === 'waits') {
        this.now += one.milliseconds;
      } else {
        this.answers.set(actor, one.answer);
        if (this.#faults.includes('drains')) this.queue.end(actor);
      }
    }
  }

  async #hear(actor: string, name: string, result: Promise<unknown>): Promise<void> {
    const heard = await result.then(
      (value): Heard => ({ type: 'result', name, value }),
      (): Heard => ({ type: 'failure', name }),
    );
    const played = this.#played.get(actor);
    if (played !== undefined && !this.queue.isEnded(actor)) this.#react(actor, await played.hear(heard));
  }

  async #passForAll(milliseconds: number): Promise<void> {
    this.now += milliseconds;
    for (const [actor, played] of this.#played)
      if (!this.queue.isEnded(actor)) this.#react(actor, await played.hear({ type: 'time', milliseconds }));
  }

  async #carryOut({ method, keys, given: [first, ...rest] }: Command): Promise<unknown> {
    const store = this.#shared;
    const [key = ''] = keys;
    if (method === 'ask') return this.#facts.has(String(first));
    if (method === 'change') return this.#facts.add(String(first)).size;
    if (method === 'getMany') return Promise.all(keys.map((one) => store.get(one)));
    const run = Reflect.get(store, method) as (...given: readonly unknown[]) => Promise<unknown>; // With what it was given.
    const carryOut = (): Promise<unknown> => run.call(store, first, ...rest);
    return method === 'get' || method === 'list' ? carryOut() : this.lives.watch(key, carryOut);
  }

  /** The store as a process has it. */
  storeOf(name: string): Full {
    return this.#stores.get(name) ?? this.logged;
  }

  /** The host learns a fact. */
  become(actor: string, fact: string): Promise<unknown> {
    if (this.commands === undefined) throw new Error(`${actor} is no process.`);
    return this.commands.wait('change', HOST, [fact]);
  }

  #named(actor: string, server: Server): Server {
    worlds.set(server, { world: this, actor });
    return server;
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

  pass(milliseconds: number): void {
    this.now += milliseconds;
    const due = [...this.#timers].filter(({ at }) => at <= this.now).sort((one, other) => one.at - other.at);
    for (const timed of due) {
      this.#timers.delete(timed);
      timed.run();
    }
  }

  #undoOf(key: string): () => void {
    const before = [...this.store.entries()].find(([name]) => name === key)?.[1];
    return () => {
      void this.store.delete(key);
      if (before !== undefined) void this.store.add(key, before, Number(Reflect.get(before, 'exp')) * SECOND);
    };
  }

  /** Waits until every request has a response or a command that waits. */
  async settle(): Promise<void> {
    for (let still = 0; still < STILL; still += 1) {
      const before = this.#events + (this.commands?.events ?? 0);
      await turn();
      if (this.#events + (this.commands?.events ?? 0) !== before || isUnderWay()) still = -1;
    }
  }
}
