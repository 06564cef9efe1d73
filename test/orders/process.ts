import type { Command } from './commands.js';
import type { About, Server } from './history.js';
import type { Fault } from './steps.js';
import { type Options, type Host, type Past, World } from './world.js';

/** What a process hears. */
export type Heard =
  | { readonly type: 'result'; readonly name: string; readonly value: unknown }
  | { readonly type: 'failure'; readonly name: string }
  | { readonly type: 'time'; readonly milliseconds: number }
  | { readonly type: 'hang up' };

/** What a process does. */
export type Done =
  | { readonly type: 'command'; readonly command: Command }
  /** A request begins, with a number that it ends with. */
  | { readonly type: 'begin'; readonly request: number; readonly about: readonly About[]; readonly at: number }
  | { readonly type: 'end'; readonly request: number; readonly answer: unknown }
  /** All that it was asked for. */
  | { readonly type: 'over'; readonly answer: unknown }
  /** It waits on purpose. */
  | { readonly type: 'waits'; readonly milliseconds: number };

export interface Reaction {
  readonly done: readonly Done[];
  /** Whether its client waits for a response. */
  readonly hasClient: boolean;
}

/** What a process begins with. */
export interface Origin {
  readonly name: string;
  readonly options: Options | ((host: Host) => Options);
  readonly faults: readonly Fault[];
  readonly past: Past;
  readonly work: (server: Server) => Promise<unknown>;
}

/** A process that runs, alone: what others do reaches it only in what its commands return. */
class Running {
  readonly heard: string[] = [];
  readonly #world: World;
  readonly #name: string;
  #done: Done[] = [];

  constructor({ name, options, faults, past }: Origin) {
    this.#name = name;
    this.#world = new World(options, faults, undefined, (done) => this.#done.push(done));
    this.#world.beginLater(past);
  }

  begin(work: Origin['work']): Promise<Reaction> {
    return this.#reaction(() => {
      const isOver = (answer: unknown): void => void this.#done.push({ type: 'over', answer: answer ?? 'done' });
      void work(this.#world.process(this.#name)).then(isOver, isOver);
    });
  }

  hear(heard: Heard): Promise<Reaction> {
    this.heard.push(textOf(heard));
    return this.#reaction(
      () => {
        if (heard.type === 'time') this.#world.pass(heard.milliseconds);
        else if (heard.type === 'hang up') this.#world.hangUp();
        else if (heard.type === 'result')
          this.#world.commands?.answer(heard.name, Promise.resolve(structuredClone(heard.value)));
        else this.#world.commands?.answer(heard.name, Promise.reject(new Error('The store did not answer.')));
      },
      heard.type === 'time' ? heard.milliseconds : 0,
    );
  }

  async #reaction(happens: () => void, passes = 0): Promise<Reaction> {
    const before = this.#world.now + passes;
    this.#done = [];
    happens();
    await this.#world.settle();
    const milliseconds = this.#world.now - before;
    const waits: readonly Done[] = milliseconds === 0 ? [] : [{ type: 'waits', milliseconds }];
    return { done: [...this.#done, ...waits], hasClient: this.#world.hasClient };
  }
}

/** The same text for the same. */
const textOf = (heard: Heard): string =>
  JSON.stringify(heard, (_, value: unknown) => (value === undefined ? '\u0000' : value));

interface Node extends Reaction {
  readonly next: Map<string, Node>;
}

/**
 * What a process does, for each of what it may hear. It does the same when it hears the same, so it runs only for what it has not heard before: that makes
 * thousands of orders possible.
 */
export class Process {
  readonly #origin: Origin;
  #first: Promise<Node> | undefined;
  #running: Running | undefined;

  constructor(origin: Origin) {
    this.#origin = origin;
  }

  get name(): string {
    return this.#origin.name;
  }

  /** From the beginning, for one order. */
  async played(): Promise<Played> {
    this.#first ??= this.#begun();
    return new Played(await this.#first, (path, heard) => this.#ran(path, heard));
  }

  async #begun(): Promise<Node> {
    this.#running = new Running(this.#origin);
    return { ...(await this.#running.begin(this.#origin.work)), next: new Map() };
  }

  /** Goes on where the last order was left, if that leads there. */
  async #ran(path: readonly Heard[], heard: Heard): Promise<Node> {
    const texts = path.map(textOf);
    const known = this.#running;
    const goesOn = known !== undefined && known.heard.every((text, at) => texts[at] === text);
    const running = goesOn ? known : new Running(this.#origin);
    this.#running = running;
    if (!goesOn) await running.begin(this.#origin.work);
    for (const earlier of path.slice(running.heard.length)) await running.hear(earlier);
    return { ...(await running.hear(heard)), next: new Map() };
  }
}

/** A process in one order. */
export class Played {
  readonly #path: Heard[] = [];
  readonly #ran: (path: readonly Heard[], heard: Heard) => Promise<Node>;
  #node: Node;

  constructor(first: Node, ran: (path: readonly Heard[], heard: Heard) => Promise<Node>) {
    this.#node = first;
    this.#ran = ran;
  }

  get reaction(): Reaction {
    return this.#node;
  }

  async hear(heard: Heard): Promise<Reaction> {
    const text = textOf(heard);
    const next = this.#node.next.get(text) ?? (await this.#ran(this.#path, heard));
    this.#node.next.set(text, next);
    this.#path.push(heard);
    this.#node = next;
    return next;
  }
}
