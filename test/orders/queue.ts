import { type Command, kindOf } from './commands.js';
import { type Fault, type Method, OF_COMMANDS, OF_PROCESSES, type Step, TIMES } from './steps.js';

/** A command of a process that waits for its turn. */
interface Pending extends Command {
  readonly actor: string;
  readonly reply: (result: Promise<unknown>) => Promise<void>;
}

const READS: ReadonlySet<Method> = new Set(['get', 'getMany', 'list', 'ask'] as const);

const ownId = ({ name, actor }: Pending): string => (actor.startsWith('~') ? `${name}:again` : name);

const SUFFIX = { lost: ', and its reply is lost', late: ' comes late', twice: ' is sent twice', none: '' } as const;

/** What steps do to the world. */
export interface Surroundings {
  readonly carryOut: (command: Command) => Promise<unknown>;
  /** @returns what takes the next write to this key back. */
  readonly undoOf: (key: string) => () => void;
  readonly pass: (milliseconds: number) => Promise<void>;
  /** What the client of a process does to go; `undefined` if it has gone. */
  readonly hangUpOf: (actor: string) => (() => Promise<void>) | undefined;
}

/** What is undone if a failover forgets it. */
interface Written {
  readonly key: string;
  readonly undo: () => void;
}

/** The commands of all processes, which wait until a schedule chooses them. */
export class Queue {
  readonly #pending: Pending[] = [];
  readonly #ended = new Set<string>();
  readonly #written = new Map<string, Written>();
  readonly #around: Surroundings;
  readonly #faults: readonly Fault[];

  constructor(around: Surroundings, faults: readonly Fault[]) {
    this.#around = around;
    this.#faults = faults;
  }

  add(actor: string, command: Command, reply: Pending['reply']): void {
    if (!this.#ended.has(actor)) this.#pending.push({ ...command, actor, reply });
  }

  get isEmpty(): boolean {
    return this.#pending.length === 0;
  }

  isEnded(actor: string): boolean {
    return this.#ended.has(actor);
  }

  /** Whether a process has. */
  get hasEnded(): boolean {
    return this.#ended.size > 0;
  }

  /** The process does nothing more. */
  end(actor: string): void {
    this.#ended.add(actor);
    for (const one of this.#pending.filter((pending) => pending.actor === actor)) this.#remove(one);
  }

  #remove(pending: Pending): void {
    this.#pending.splice(this.#pending.indexOf(pending), 1);
  }

  /** What may be next, in a fixed order. */
  steps(faults: readonly Fault[]): readonly Step[] {
    const plain = this.#pending.map((pending) => this.#step(pending));
    if (faults.length === 0 || plain.length === 0) return plain;
    const own = this.#pending.filter(({ actor }) => !actor.startsWith('~'));
    const commands = own.filter(({ method }) => method !== 'ask' && method !== 'change');
    const wrong = commands.flatMap((pending) =>
      OF_COMMANDS.filter((fault) => faults.includes(fault)).map((fault) => this.#step(pending, fault)),
    );
    const actors = [...new Set(own.map(({ actor }) => actor))];
    return [
      ...plain,
      // A read that is repeated or late has no effect.
      ...wrong.filter(({ writes, id }) => writes.length > 0 || id.endsWith(':lost')),
      ...OF_PROCESSES.filter((fault) => faults.includes(fault)).flatMap((fault) =>
        actors.flatMap((actor) => this.#happening(fault, actor)),
      ),
      ...Object.entries(TIMES)
        .filter(([fault]) => faults.includes(fault as Fault))
        .map(([name, passes]) => this.#passing(name, passes)),
    ];
  }

  /** The step with this name. */
  named(id: string): Step | undefined {
    for (const pending of this.#pending) {
      const own = ownId(pending);
      if (id === own) return this.#step(pending);
      const fault = OF_COMMANDS.find((one) => id === `${own}:${one}`);
      if (fault !== undefined) return this.#step(pending, fault);
    }
    const [actor = '', name = ''] = id.split(':');
    const fault = name.replace('-', ' ');
    const passes = actor === 'time' ? Object.entries(TIMES).find(([time]) => time === fault) : undefined;
    if (passes !== undefined) return this.#passing(...passes);
    const happens = OF_PROCESSES.find((one) => one === fault);
    return happens === undefined ? undefined : this.#happening(happens, actor)[0];
  }

  #passing(name: string, passes: number): Step {
    const take = (): Promise<void> => this.#around.pass(passes);
    const id = `time:${name.replace(' ', '-')}`;
    return { id, text: `${name} pass`, actor: 'time', isFault: true, reads: undefined, writes: [], take };
  }

  #happening(fault: (typeof OF_PROCESSES)[number], actor: string): readonly Step[] {
    const step = { id: `${actor}:${fault.replace(' ', '-')}`, actor, isFault: true, reads: [], writes: [] };
    if (fault === 'ends') return [{ ...step, text: `${actor}'s process ends`, take: async () => this.end(actor) }];
    if (fault === 'hangs up') {
      const take = this.#around.hangUpOf(actor);
      return take === undefined ? [] : [{ ...step, text: `${actor}'s client hangs up`, take }];
    }
    const last = this.#written.get(actor);
    if (last === undefined) return [];
    return [
      {
        ...step,
        text: `a failover forgets ${actor}'s last command`,
        writes: [last.key],
        take: async () => last.undo(),
      },
    ];
  }

  #step(pending: Pending, fault?: (typeof OF_COMMANDS)[number]): Step {
    const { actor, method, keys, groups = [] } = pending;
    const isAgain = actor.startsWith('~');
    const kind = `${method} ${kindOf(keys)}`;
    const text = isAgain ? `${actor.slice(1)}'s ${kind} arrives` : `${actor}: ${kind}`;
    const touched = READS.has(method) ? { reads: keys, writes: [] } : { reads: [], writes: keys, joins: groups };
    return {
      id: ownId(pending) + (fault === undefined ? '' : `:${fault}`),
      text: text + SUFFIX[fault ?? 'none'],
      actor,
      isFault: fault !== undefined,
      take: () => this.#take(pending, fault),
      ...touched,
    };
  }

  async #take(pending: Pending, fault: (typeof OF_COMMANDS)[number] | undefined): Promise<void> {
    const { actor, reply } = pending;
    this.#remove(pending);
    if (fault === 'late' || fault === 'twice')
      this.#pending.push({ ...pending, actor: `~${actor}`, reply: async () => undefined });
    const failed = (): Promise<never> => Promise.reject(new Error('The store did not answer.'));
    if (fault === 'late') return reply(failed());
    const result = await this.#carryOut(pending);
    return reply(fault === 'lost' ? failed() : Promise.resolve(result));
  }

  #carryOut(pending: Pending): Promise<unknown> {
    const {
      actor,
      method,
      keys: [key = ''],
    } = pending;
    if (this.#faults.includes('forgets') && !READS.has(method) && method !== 'change') {
      // A later write to the same key cannot be kept without this one.
      for (const [other, { key: same }] of this.#written) if (same === key) this.#written.delete(other);
      this.#written.set(actor, { key, undo: this.#around.undoOf(key) });
    }
    return this.#around.carryOut(pending);
  }
}
