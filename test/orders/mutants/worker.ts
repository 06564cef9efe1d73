import { explore, type Explored, forget, type Scenario, TooManyRuns } from '../explore.js';
import { PARTS, type Row } from '../rows.js';
import type { Fault } from '../steps.js';
import { KINDS, type Kind } from './kinds.js';

type Method = (...given: readonly unknown[]) => Promise<unknown>;

let mutant: { readonly site: number; readonly kind: Kind } | undefined;
/** The mutants that differ from the program. */
const applicable = new Set<string>();
let reached: Set<number> | undefined;
let postponed: (() => Promise<unknown>) | undefined;

const START = Date.UTC(2030, 0, 1) / 1000;

const halved = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || !('exp' in value)) return value;
  return { ...value, exp: START + Math.floor((Number(value.exp) - START) / 2) };
};

/** Whether the mutant differs from the program. */
const differs = (kind: Kind, method: string, given: readonly unknown[]): boolean => {
  // Of a chain that is swapped, nothing here has the expiry of the record.
  if (kind === 'expiry halved')
    return !(method === 'swap' && typeof given[0] === 'object') && given.some((value) => halved(value) !== value);
  if (kind === 'group dropped') return given.length > 1 && Array.isArray(given.at(-1));
  if (kind === 'result ignored') return method === 'add' || method === 'swap';
  return true;
};

/** What the call returns if it succeeds. */
const success = (method: string, [found, step]: readonly unknown[]): unknown => {
  if (method === 'keep') return Reflect.get(Object(step), 'connection');
  if (method !== 'swap' || typeof found !== 'object') return true;
  const { grant, chain } = found as { grant: object; chain: object }; // Of Chains.
  return { grant, chain: { ...chain, ...(step as object) } };
};

const quietly = async (work: () => Promise<unknown>): Promise<void> => {
  try {
    await work();
  } catch {
    // As of a call that nobody awaits.
  }
};

const mutated = async (
  kind: Kind,
  method: string,
  call: (given: readonly unknown[]) => Promise<unknown>,
  given: readonly unknown[],
): Promise<unknown> => {
  if (kind === 'expiry halved') return call(given.map(halved));
  if (kind === 'group dropped') return call(given.slice(0, -1));
  if (kind === 'result ignored') {
    await call(given);
    return success(method, given);
  }
  if (kind === 'not awaited') void quietly(() => call(given));
  if (kind === 'after the next') {
    const own = (): Promise<unknown> => call(given);
    postponed = own;
    // Or after the response, if nothing more is written.
    setImmediate(() =>
      setImmediate(() => {
        if (postponed === own) void quietly(own);
        if (postponed === own) postponed = undefined;
      }),
    );
  }
  return success(method, given);
};

/** Every writing call of the core comes here. */
const mutable = (
  site: number,
  object: Readonly<Record<string, Method>>,
  method: string,
  given: readonly unknown[],
): unknown => {
  reached?.add(site);
  if (reached !== undefined)
    for (const kind of KINDS) if (differs(kind, method, given)) applicable.add(`${site} ${kind}`);
  const call = (all: readonly unknown[]): Promise<unknown> => (object[method] as Method).call(object, ...all);
  if (mutant?.site === site && differs(mutant.kind, method, given)) {
    return mutated(mutant.kind, method, call, given);
  }
  const result = call(given);
  const next = postponed;
  if (next === undefined) return result;
  postponed = undefined;
  const isOver = async (): Promise<unknown> => {
    try {
      return await result;
    } finally {
      await quietly(next);
    }
  };
  return isOver();
};

Object.assign(globalThis, { mutable });
process.on('unhandledRejection', () => undefined);

const SCENARIOS: readonly Scenario[] = Object.values(PARTS).flat();

/** After none. */
const FAULTS: readonly (readonly Fault[])[] = [
  ['drains'],
  ['ahead'],
  ['behind'],
  ['ends', 'lost'],
  ['late', 'twice', 'hangs up'],
  ['11 s', '61 s'],
];

/** Scenarios that are tried with faults: those with the fewest orders. */
const MOST_WITH_FAULTS = 12;

/** A mutant that makes a scenario much larger is left to the others. */
const MOST_RUNS = 4000;

const reaching = new Map<number, Scenario[]>();

/** Finds which scenarios reach which calls, those with fewer orders first. */
const prepare = async (): Promise<void> => {
  const found: (readonly [Scenario, ReadonlySet<number>, number])[] = [];
  for (const one of SCENARIOS) {
    reached = new Set();
    const { runs } = await explore(one);
    found.push([one, reached, runs]);
  }
  reached = undefined;
  for (const [one, sites] of found.sort(([, , few], [, , more]) => few - more))
    for (const site of sites) reaching.set(site, [...(reaching.get(site) ?? []), one]);
};

const brokenIn = async (of: Scenario, faults: Row[1]): Promise<string | undefined> => {
  const text = (promise: string): string =>
    `${of.name}${faults.length === 0 ? '' : ` (${faults.join(', ')})`}: ${promise}`;
  try {
    const { broken }: Explored = await explore(of, { faults, isOver: true, most: MOST_RUNS });
    return broken[0] === undefined ? undefined : text(broken[0].promises[0] ?? '');
  } catch (error) {
    if (error instanceof TooManyRuns) return undefined;
    return text((error instanceof Error ? error.message : String(error)).split('\n')[0]?.slice(0, 120) ?? '');
  } finally {
    postponed = undefined;
    forget(of);
  }
};

const sound = new Set<string>();

/** A scenario that breaks a promise without a mutant finds nothing. */
const expectSound = async (one: Scenario, faults: Row[1]): Promise<void> => {
  const name = `${one.name} ${faults.join()}`;
  const changed = mutant;
  if (changed === undefined || sound.has(name)) return;
  mutant = undefined;
  try {
    forget(one);
    const found = await brokenIn(one, faults);
    if (found !== undefined) throw new Error(`Without a mutant, too: ${found}`);
    sound.add(name);
  } finally {
    mutant = changed;
  }
};

const killerIn = async (scenarios: readonly Scenario[]): Promise<string> => {
  for (const faults of process.env['MUTANTS_FAULTS'] === 'none' ? [[]] : [[], ...FAULTS])
    for (const one of faults.length === 0 ? scenarios : scenarios.slice(0, MOST_WITH_FAULTS)) {
      forget(one);
      const found = await brokenIn(one, faults);
      if (found === undefined) continue;
      await expectSound(one, faults);
      return found;
    }
  return 'survives';
};

/** The scenario and the promise that find it; empty if the mutant does not exist. */
const killerOf = async (site: number, kind: Kind, others: readonly string[]): Promise<string> => {
  const hasFound = ({ name }: Scenario): boolean => others.some((other) => other.startsWith(name));
  const scenarios = (reaching.get(site) ?? []).toSorted((a, b) => Number(hasFound(b)) - Number(hasFound(a)));
  if (scenarios.length === 0) return kind === KINDS[0] ? 'not reached' : '';
  if (!applicable.has(`${site} ${kind}`)) return '';
  mutant = { site, kind };
  try {
    return await killerIn(scenarios);
  } finally {
    mutant = undefined;
  }
};

interface Task {
  readonly site?: number;
  readonly kind: Kind;
  /** By which other mutants of the call were found: those scenarios come first. */
  readonly others?: readonly string[];
  /** For a planted fault: the scenarios. */
  readonly scenarios?: string;
}

let ready: Promise<void> | undefined;
const answer = async ({ site, kind, others = [], scenarios }: Task): Promise<void> => {
  if (site !== undefined) await (ready ??= prepare());
  const found =
    site === undefined
      ? await killerIn(SCENARIOS.filter(({ name }) => new RegExp(scenarios ?? '').test(name)))
      : await killerOf(site, kind, others);
  process.send?.(found);
};

process.on('message', (task: Task) => {
  answer(task).catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
});
