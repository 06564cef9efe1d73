import { Choices, type Possible } from './choices.js';
import { type Act, digestOf, isAnswer, type Server } from './history.js';
import { Process } from './process.js';
import { failuresOf, Judge } from './properties.js';
import { OPTIONS } from './requests.js';
import { type Fault, FROM_THE_BEGINNING, type Full, type Step } from './steps.js';
import { type Host, type Options, type Past, World } from './world.js';

/** Requests that meet, each at a process of its own. */
export interface Scenario<T = unknown> {
  readonly name: string;
  readonly options?: Options | ((host: Host) => Options);
  /** A store that is not what it should be. */
  readonly between?: (store: Full) => Full;
  /** What happened before. All of it succeeds, or there is no scenario. */
  readonly setup: (world: World) => Promise<T>;
  /** Begin at the same moment. A request whose process ends has no response. */
  readonly requests: readonly ((server: Server, given: T) => Promise<unknown>)[];
  /** Which of them succeed as long as nothing fails, whatever their order: each, one at least, none, or those with these numbers. */
  readonly succeed: 'each' | 'one' | 'none' | readonly number[];
  /** Promises in addition to P1 to P12, which hold everywhere. */
  readonly also?: (world: World, given: T, answers: readonly unknown[]) => Promise<readonly string[]>;
  /** Promises that a fault takes away here, and why: they are not the ones that hold in spite of everything. */
  readonly except?: readonly (readonly [faults: readonly Fault[], promise: RegExp, why: string])[];
}

/** Any scenario: what it is given is its own affair. */
export const scenario = <T>(given: Scenario<T>): Scenario => given as unknown as Scenario;

/** An order that breaks a promise. */
export interface Broken {
  /** Replays it: {@link replay}. */
  readonly schedule: string;
  /** For a person. */
  readonly text: string;
  readonly promises: readonly string[];
}

export interface Explored {
  /** Orders that differ in more than steps that commute, and runs, with those that were cut because they differ in no more. */
  readonly orders: number;
  readonly runs: number;
  readonly cut: number;
  /** Different contents of the store at the end. */
  readonly states: ReadonlySet<string>;
  /** Different contents of the store with what clients got. */
  readonly outcomes: ReadonlySet<string>;
  /** What happened to grants. */
  readonly arrows: ReadonlySet<string>;
  readonly broken: readonly Broken[];
}

export interface ExploreOptions {
  /** At most one of them in each order; of those that hold from the beginning, one. */
  readonly faults?: readonly Fault[];
  /** More runs are an error; default 20,000. */
  readonly most?: number;
  /** Whether the first broken promise ends it. */
  readonly isOver?: boolean;
  /** See {@link Choices}. */
  readonly isReduced?: boolean;
}

/** Broken orders that are shortened. */
const SHOWN = 3;

/** More would be a mistake in a scenario. */
const MAX_STEPS = 200;

interface Run {
  readonly taken: readonly Step[];
  readonly promises: readonly string[];
  /** What clients got and what the store holds, as a digest. */
  readonly digest: string;
  readonly state: string;
  readonly outcome: string;
  readonly arrows: ReadonlySet<string>;
}

/** The promises that hold under a fault; all of them, if it is not named here. */
const HOLDING: Readonly<Record<string, RegExp>> = {
  // P7 holds by half: a forgotten redemption leaves its access token, for the time that it has, in a grant that counts as not redeemed and is not listed.
  // Its owner can end it. A list that showed every grant whose code was never redeemed would name applications that have no access.
  forgets: /^(?:P(?:5|8|11):|P7: what has ended)/,
  'an hour ahead': /^P(?:1|2|4|5|6|10):/,
  // What cannot be replaced is lost, and gives nothing more.
  'no rev': /^P(?:1|2|5|6|8|10|11):/,
};

/** What a scenario begins with, and what is known of its ends. */
interface Known {
  readonly past: Past;
  readonly given: unknown;
  readonly ends: Map<string, readonly string[]>;
  /** With the faults that hold from the beginning. */
  readonly processesOf: (faults: readonly Fault[]) => readonly Process[];
}

const known = new WeakMap<Scenario, Known>();

/** A scenario is larger than its limit. */
export class TooManyRuns extends Error {}

/** For one who changes the program. */
export const forget = (of: Scenario): void => void known.delete(of);

const knownOf = async (of: Scenario): Promise<Known> => {
  const found = known.get(of);
  if (found !== undefined) return found;
  const world = new World(of.options ?? OPTIONS);
  const given = await of.setup(world);
  const failed = failuresOf(world.history.map(({ answer }) => answer));
  if (failed.length > 0) throw new Error(`The setup of "${of.name}" fails: ${JSON.stringify(failed)}`);
  const { past } = world;
  const recorded = new Map<string, readonly Process[]>();
  const processesOf: Known['processesOf'] = (all) => {
    const faults = all.filter((fault) => FROM_THE_BEGINNING.includes(fault));
    const name = faults.join();
    const found =
      recorded.get(name) ??
      of.requests.map(
        (request, at) =>
          new Process({
            name: 'ABC'.charAt(at),
            options: of.options ?? OPTIONS,
            ...{ faults, past },
            work: (server) => request(server, given),
          }),
      );
    recorded.set(name, found);
    return found;
  };
  const made = { past, given, ends: new Map<string, readonly string[]>(), processesOf };
  known.set(of, made);
  return made;
};

/** Of what processes did in another order, too: the same object. */
const digests = new WeakMap<object, string>();

const digestOnce = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  const found = digests.get(value);
  if (found !== undefined) return found;
  const digest = digestOf(isAnswer(value) ? [value.status, value.text, value.headers.get('location')] : value);
  digests.set(value, digest);
  return digest;
};

/** What was asked for and what came of it, without when. */
const outcomeOf = ({ actor, about, answer }: Act): readonly unknown[] => [actor, digestOnce(about), digestOnce(answer)];

/** Whether the requests that must succeed have succeeded. */
const unsuccessful = ({ succeed }: Scenario, answers: readonly unknown[]): readonly string[] => {
  const failed = answers.map((answer) => failuresOf([answer]).length > 0);
  const must = succeed === 'each' ? [...failed.keys()] : typeof succeed === 'string' ? [] : succeed;
  return [
    ...must
      .filter((at) => failed[at])
      .map((at) => `Liveness: request ${at + 1} fails, ${JSON.stringify(failuresOf([answers[at]]))}`),
    ...(succeed === 'one' && failed.every(Boolean) ? ['Liveness: no request succeeds'] : []),
    ...(succeed === 'none' && !failed.every(Boolean) ? ['P10: a request succeeds that must fail'] : []),
  ];
};

/** Runs a scenario. @param next - Chooses a step; `undefined` gives the run up. */
const run = async (
  of: Scenario,
  faults: readonly Fault[],
  next: (possible: Possible, at: number) => Step | undefined,
): Promise<Run | undefined> => {
  const { past, given, ends, processesOf } = await knownOf(of);
  const processes = processesOf(faults);
  const world = new World(of.options ?? OPTIONS, faults, of.between);
  await world.begin(past);
  for (const process of processes) await world.join(process);
  const taken: Step[] = [];
  const late = new Set<string>();
  let gone: Gone | undefined;
  let left = faults;
  for (;;) {
    if (world.queue.isEmpty) break;
    if (taken.length === MAX_STEPS) throw new Error(`${of.name}: more than ${MAX_STEPS} steps.`);
    const step = next({ all: () => world.queue.steps(left), named: (id) => world.queue.named(id) }, taken.length);
    if (step === undefined) return undefined;
    if (step.isFault) left = [];
    if (step.id.endsWith(':hangs-up')) gone = new Gone(step.actor, taken, world.queue);
    const isLate = gone?.isLate(step) === true;
    const before = world.lives.changes;
    await step.take();
    // To count a wrong guess uses nothing up.
    if (isLate && world.lives.changes > before)
      late.add('P10: a request whose client had gone has used up what it presented');
    taken.push(step);
  }
  const answers = processes.map(({ name }) => world.answers.get(name));
  const state = digestOf([...world.store.entries()]);
  const outcomes = world.history.map(outcomeOf);
  const digest = digestOf([world.now, state, outcomes, world.history.map(({ began, ended }) => [began, ended])]);
  const all = ends.get(digest) ?? [
    ...((await of.also?.(world, given, answers)) ?? []),
    ...(await new Judge(world).promises()),
  ];
  ends.set(digest, all);
  const fault = taken
    .find(({ isFault }) => isFault)
    ?.id.replace(/^.*:/, '')
    .replace('-', ' ');
  const holding = HOLDING[fault ?? faults[0] ?? ''] ?? /^/;
  const isLive = fault === undefined ? unsuccessful(of, answers) : [];
  const excepted = (of.except ?? []).filter(([some]) =>
    some.some((one) => one === fault || (faults.includes(one) && FROM_THE_BEGINNING.includes(one))),
  );
  const promises = [...isLive, ...late, ...all].filter(
    (promise) => holding.test(promise) && !excepted.some(([, pattern]) => pattern.test(promise)),
  );
  const outcome = digestOf([state, outcomes.map((one) => JSON.stringify(one)).sort()]);
  return { taken, promises, digest, state, outcome, arrows: world.lives.arrows };
};

/** Tries every order of the commands of a scenario, each with at most one fault, but of orders that differ in steps that commute only one. */
export const explore = async (of: Scenario, options: ExploreOptions = {}): Promise<Explored> => {
  const { faults = [], most = 20_000, isOver = false, isReduced } = options;
  const choices = new Choices(isReduced);
  const states = new Set<string>();
  const arrows = new Set<string>();
  const outcomes = new Set<string>();
  const broken: Broken[] = [];
  const counts = { orders: 0, runs: 0, cut: 0 };
  do {
    if (counts.runs === most) throw new TooManyRuns(`${of.name}: more than ${most} runs.`);
    counts.runs += 1;
    const result = await run(of, faults, (possible, at) => choices.next(possible, at));
    if (result === undefined) {
      counts.cut += 1;
      continue;
    }
    counts.orders += 1;
    states.add(result.state);
    outcomes.add(result.outcome);
    // A failover that forgets a command takes a step back, which is no step of a grant.
    if (!result.taken.some(({ id }) => id.endsWith(':forgets'))) for (const arrow of result.arrows) arrows.add(arrow);
    if (result.promises.length === 0 || broken.length === SHOWN) continue;
    broken.push(isOver ? shown(result) : await shortened(of, faults, result));
    if (isOver) break;
  } while (choices.advance());
  return { ...counts, states, outcomes, arrows, broken };
};

/** A process whose client has gone: what it has sent may arrive, and what it had won goes on, but it uses nothing up. */
class Gone {
  readonly #isOver: boolean;
  readonly #sent: ReadonlySet<string>;
  readonly #actor: string;

  constructor(actor: string, taken: readonly Step[], queue: World['queue']) {
    this.#actor = actor;
    this.#isOver = taken.some((step) => this.#uses(step));
    this.#sent = new Set(queue.steps([]).map(({ id }) => id));
  }

  #uses({ actor, id }: Step): boolean {
    return actor === this.#actor && id.includes('.swap-chain.');
  }

  isLate(step: Step): boolean {
    return !this.#isOver && this.#uses(step) && !this.#sent.has(step.id);
  }
}

/** Takes the steps that a schedule names in its order, and what it does not name as soon as it may come. */
const following = (schedule: readonly string[]) => {
  let at = 0;
  return ({ all }: Possible): Step | undefined => {
    const steps = all();
    const named = steps.find(({ id }) => id === schedule[at]);
    if (named !== undefined) at += 1;
    const later = new Set(schedule.slice(at));
    const plain = steps.filter(({ isFault }) => !isFault);
    return named ?? plain.find(({ id }) => !later.has(id)) ?? plain[0];
  };
};

/** Runs one order, from its text. What the text does not name comes in the order of the processes. */
export const replay = async (of: Scenario, faults: readonly Fault[], schedule: string): Promise<Run> => {
  const result = await run(of, faults, following(schedule.split(' ').filter(Boolean)));
  if (result === undefined) throw new Error('The schedule cannot be run.');
  return result;
};

const shown = ({ taken, promises }: Run): Broken => ({
  schedule: taken.map(({ id }) => id).join(' '),
  text: taken.map(({ text }) => text).join(' · '),
  promises,
});

/** Leaves out what the order does not need to break the same promises. */
const shortened = async (of: Scenario, faults: readonly Fault[], found: Run): Promise<Broken> => {
  const promises = JSON.stringify(found.promises);
  let best = found;
  let ids = found.taken.map(({ id }) => id);
  for (const id of [...ids]) {
    const fewer = ids.filter((one) => one !== id);
    const again = await replay(of, faults, fewer.join(' ')).catch(() => undefined);
    if (again !== undefined && JSON.stringify(again.promises) === promises) [ids, best] = [fewer, again];
  }
  return { ...shown(best), schedule: ids.join(' ') };
};
