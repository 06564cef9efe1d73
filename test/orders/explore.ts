import { type Act, digestOf, isAnswer, type Server } from './history.js';
import { Judge } from './properties.js';
import { OPTIONS } from './requests.js';
import { commute, type Fault, type Full, type Host, type Options, type Past, type Step, World } from './world.js';

/** Requests that meet, each at a process of its own. */
export interface Scenario<T = unknown> {
  readonly name: string;
  readonly options?: Options | ((host: Host) => Options);
  /** A store that is not what it should be. */
  readonly between?: (store: Full) => Full;
  /** What happened before. */
  readonly before: (world: World) => Promise<T>;
  /** Begin at the same moment. A request whose process ends has no response. */
  readonly acts: readonly ((server: Server, given: T) => Promise<unknown>)[];
  /** Promises in addition to P1 to P12, which hold everywhere. */
  readonly also?: (world: World, given: T, answers: readonly unknown[]) => Promise<readonly string[]>;
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
  readonly states: number;
  /** What happened to grants. */
  readonly arrows: ReadonlySet<string>;
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

/** Broken orders that are shortened. */
const SHOWN = 3;

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
  readonly arrows: ReadonlySet<string>;
}

/** The promises that hold under a fault; all of them, if it is not named here. */
const HOLDING: Readonly<Record<string, RegExp>> = {
  // A forgotten redemption leaves its access token, for the time that it has, in a grant that counts as not redeemed and is not listed.
  forgets: /^(?:P(?:5|8|11):|P7: what has ended)/,
  'an hour ahead': /^P(?:1|2|4|5|6|10):/,
};

/** What a scenario begins with, and what is known of its ends. */
interface Known {
  readonly past: Past;
  readonly given: unknown;
  readonly ends: Map<string, readonly string[]>;
}

const known = new WeakMap<Scenario, Known>();

/** For one who changes the program. */
export const forget = (of: Scenario): void => void known.delete(of);

const knownOf = async (of: Scenario): Promise<Known> => {
  const found = known.get(of);
  if (found !== undefined) return found;
  const world = new World(of.options ?? OPTIONS);
  const given = await of.before(world);
  const made = { past: world.past, given, ends: new Map<string, readonly string[]>() };
  known.set(of, made);
  return made;
};

const actText = ({ actor, about, began, ended, answer }: Act): unknown => [
  ...[actor, about, began, ended],
  isAnswer(answer) ? [answer.status, answer.text, answer.headers.get('location')] : answer,
];

/** Runs a scenario. @param next - Chooses a step; `undefined` gives the run up. */
const run = async (
  of: Scenario,
  faults: readonly Fault[],
  next: (steps: readonly Step[], at: number, world: World) => Step | undefined,
): Promise<Run | undefined> => {
  const { past, given, ends } = await knownOf(of);
  const world = new World(of.options ?? OPTIONS, faults, of.between);
  await world.begin(past);
  const answers: unknown[] = of.acts.map(() => undefined);
  for (const [at, act] of of.acts.entries())
    void act(world.process('ABC'.charAt(at)), given).then(
      (answer) => (answers[at] = answer),
      (error: unknown) => (answers[at] = error),
    );
  const taken: Step[] = [];
  for (;;) {
    await world.settle();
    const steps = world.steps(taken.some(({ isFault }) => isFault) ? [] : faults);
    if (steps.length === 0) break;
    if (taken.length === MAX_STEPS) throw new Error(`More than ${MAX_STEPS} steps.`);
    const step = next(steps, taken.length, world);
    if (step === undefined) return undefined;
    step.take();
    taken.push(step);
  }
  const state = digestOf([...world.store.entries()]);
  const digest = digestOf([world.now, state, world.history.map(actText)]);
  const all = ends.get(digest) ?? [
    ...((await of.also?.(world, given, answers)) ?? []),
    ...(await new Judge(world).promises()),
  ];
  ends.set(digest, all);
  const happened = taken
    .find(({ isFault }) => isFault)
    ?.id.split(':')
    .at(-1);
  const holding = HOLDING[happened ?? faults[0] ?? ''] ?? /^/;
  const promises = all.filter((promise) => holding.test(promise));
  return { taken, promises, digest, state, arrows: world.lives.arrows };
};

/** States that were reached, each with the steps that were not tried from there. */
type Seen = Map<string, (readonly string[])[]>;

/** Whether all that may follow was tried from the same state. */
const isSeen = (seen: Seen, state: string, sleeping: ReadonlySet<string>): boolean => {
  const before = seen.get(state) ?? [];
  if (before.some((slept) => slept.every((id) => sleeping.has(id)))) return true;
  seen.set(state, [...before, [...sleeping]]);
  return false;
};

/**
 * Tries every order of the commands of a scenario, each with at most one fault, but of orders that differ in steps that commute only one.
 *
 * @param isOver - Whether the first broken promise ends it.
 */
export const explore = async (
  of: Scenario,
  faults: readonly Fault[] = [],
  most = 20_000,
  isOver = false,
): Promise<Explored> => {
  const path: Choice[] = [];
  const states = new Set<string>();
  const arrows = new Set<string>();
  const seen: Seen = new Map();
  const broken: Broken[] = [];
  const counts = { orders: 0, runs: 0, cut: 0 };
  do {
    if (counts.runs === most) throw new Error(`${of.name}: more than ${most} runs.`);
    counts.runs += 1;
    const result = await run(of, faults, (steps, at, world) => {
      const known = path[at];
      if (known !== undefined) return steps.find(({ id }) => id === known.chosen.id);
      const before = path[at - 1];
      const asleep = before === undefined ? [] : asleepAfter(before);
      const sleeping = idsOf(asleep);
      if (isSeen(seen, world.state, sleeping)) return undefined;
      const chosen = steps.find(({ id }) => !sleeping.has(id));
      if (chosen !== undefined) path.push({ steps, asleep, tried: [], chosen });
      return chosen;
    });
    if (result === undefined) counts.cut += 1;
    else {
      counts.orders += 1;
      states.add(result.state);
      for (const arrow of result.arrows) arrows.add(arrow);
      if (result.promises.length > 0 && broken.length < SHOWN) broken.push(await shortened(of, faults, result));
    }
  } while (!(isOver && broken.length > 0) && advance(path));
  return { ...counts, states: states.size, arrows, broken };
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
export const replay = async (of: Scenario, faults: readonly Fault[], schedule: string): Promise<Run> => {
  const result = await run(of, faults, following(schedule.split(' ').filter(Boolean)));
  if (result === undefined) throw new Error('The schedule cannot be run.');
  return result;
};

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
  return { schedule: ids.join(' '), text: best.taken.map(({ text }) => text).join(' · '), promises: best.promises };
};
