import { createHash } from 'node:crypto';
import { commute, type Fault, type Step, type World } from './world.js';

/** Requests that meet, and what must hold whatever the order of their commands. */
export interface Scenario {
  readonly name: string;
  /**
   * A fresh state, and the requests, each at a process of its own.
   *
   * @returns A check of what came of them, which resolves to the broken promises: each begins with its number, P1 to P12.
   */
  readonly begin: () => Promise<Begun>;
}

export interface Begun {
  readonly world: World;
  /** Begin at the same moment. A request whose process ends has no response. */
  readonly requests: readonly (() => Promise<unknown>)[];
  readonly check: (responses: readonly unknown[]) => Promise<readonly string[]>;
}

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
  readonly states: number;
  readonly broken: readonly Broken[];
}

/** A place where the order was decided. */
interface Choice {
  readonly steps: readonly Step[];
  /** Tried already in another order that leads to the same. */
  readonly asleep: readonly Step[];
  readonly tried: Step[];
  chosen: Step;
}

/** More would be a mistake in a scenario. */
const MAX_STEPS = 200;

const idsOf = (steps: readonly Step[]): ReadonlySet<string> => new Set(steps.map(({ id }) => id));

/** The steps that need not be tried after this choice, because an order that begins with them was tried. */
const asleepAfter = ({ asleep, tried, chosen }: Choice): readonly Step[] =>
  [...asleep, ...tried].filter((step) => commute(step, chosen));

interface Run {
  readonly taken: readonly Step[];
  readonly promises: readonly string[];
  /** What clients got and what the store holds, as a digest. */
  readonly digest: string;
  readonly state: string;
}

/** Without the names of processes, which no option decides. In a chain they follow the time of what they did. */
const digestOf = (value: unknown): string => {
  const text = JSON.stringify(value, (name, member: unknown) => (name === 'process' ? undefined : member));
  return createHash('sha256')
    .update(text.replaceAll(/\b([0-9a-z]{8}) [\w-]{12}(?=[ "])/g, '$1'))
    .digest('hex');
};

/** Runs a scenario. @param next - Chooses a step; `undefined` gives the run up. */
const run = async (
  { begin }: Scenario,
  faults: readonly Fault[],
  next: (steps: readonly Step[], at: number) => Step | undefined,
): Promise<Run | undefined> => {
  const { world, requests, check } = await begin();
  const responses: unknown[] = requests.map(() => undefined);
  for (const [at, request] of requests.entries())
    void world.watch(request()).then(
      (response) => (responses[at] = response),
      (error: unknown) => (responses[at] = error),
    );
  const taken: Step[] = [];
  for (;;) {
    await world.settle();
    const steps = world.steps(taken.some(({ isFault }) => isFault) ? [] : faults);
    if (steps.length === 0) break;
    if (taken.length === MAX_STEPS) throw new Error(`More than ${MAX_STEPS} steps.`);
    const step = next(steps, taken.length);
    if (step === undefined) return undefined;
    step.take();
    taken.push(step);
  }
  const state = digestOf([...world.store.entries()]);
  const promises = await check(responses);
  return { taken, promises, digest: digestOf([responses, state]), state };
};

/** Tries every order of the commands of a scenario, each with at most one fault, but of orders that differ in steps that commute only one. */
export const explore = async (scenario: Scenario, faults: readonly Fault[] = [], most = 20_000): Promise<Explored> => {
  const path: Choice[] = [];
  const states = new Set<string>();
  const broken: Broken[] = [];
  const counts = { orders: 0, runs: 0, cut: 0 };
  do {
    if (counts.runs === most) throw new Error(`${scenario.name}: more than ${most} runs.`);
    counts.runs += 1;
    const result = await run(scenario, faults, (steps, at) => {
      const known = path[at];
      if (known !== undefined) return steps.find(({ id }) => id === known.chosen.id);
      const before = path[at - 1];
      const asleep = before === undefined ? [] : asleepAfter(before);
      const sleeping = idsOf(asleep);
      const chosen = steps.find(({ id }) => !sleeping.has(id));
      if (chosen !== undefined) path.push({ steps, asleep, tried: [], chosen });
      return chosen;
    });
    if (result === undefined) counts.cut += 1;
    else {
      counts.orders += 1;
      states.add(result.state);
      if (result.promises.length > 0) broken.push(await shortened(scenario, faults, result));
    }
  } while (advance(path));
  return { ...counts, states: states.size, broken };
};

/** Goes to the next order. @returns Whether there is one. */
const advance = (path: Choice[]): boolean => {
  for (let choice = path.at(-1); choice !== undefined; choice = path.at(-1)) {
    choice.tried.push(choice.chosen);
    const done = idsOf([...choice.asleep, ...choice.tried]);
    const next = choice.steps.find(({ id }) => !done.has(id));
    if (next !== undefined) {
      choice.chosen = next;
      return true;
    }
    path.pop();
  }
  return false;
};

/** Takes the steps that a schedule names in its order, and what it does not name as soon as it may come. */
const following = (schedule: readonly string[]) => {
  let at = 0;
  return (steps: readonly Step[]): Step | undefined => {
    const named = steps.find(({ id }) => id === schedule[at]);
    if (named !== undefined) at += 1;
    const later = new Set(schedule.slice(at));
    const plain = steps.filter(({ isFault }) => !isFault);
    return named ?? plain.find(({ id }) => !later.has(id)) ?? plain[0];
  };
};

/** Runs one order, from its text. What the text does not name comes in the order of the processes. */
export const replay = async (scenario: Scenario, faults: readonly Fault[], schedule: string): Promise<Run> => {
  const result = await run(scenario, faults, following(schedule.split(' ').filter(Boolean)));
  if (result === undefined) throw new Error('The schedule cannot be run.');
  return result;
};

/** Leaves out what the order does not need to break the same promises. */
const shortened = async (scenario: Scenario, faults: readonly Fault[], found: Run): Promise<Broken> => {
  const promises = JSON.stringify(found.promises);
  let best = found;
  let ids = found.taken.map(({ id }) => id);
  for (const id of [...ids]) {
    const fewer = ids.filter((one) => one !== id);
    const again = await replay(scenario, faults, fewer.join(' ')).catch(() => undefined);
    if (again !== undefined && JSON.stringify(again.promises) === promises) [ids, best] = [fewer, again];
  }
  return { schedule: ids.join(' '), text: best.taken.map(({ text }) => text).join(' · '), promises: best.promises };
};
