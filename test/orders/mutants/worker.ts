import { explore, forget, type Scenario } from '../explore.js';
import { PARTS, type Row, usual } from '../rows.js';

/** What may be wrong with a write. */
export const KINDS = [
  'left out',
  'not awaited',
  'after the next',
  'expiry halved',
  'result ignored',
  'group dropped',
] as const;
type Kind = (typeof KINDS)[number];

let mutant: { readonly site: number; readonly kind: Kind } | undefined;
let applied = false;
let reached: Set<number> | undefined;
let postponed: (() => void) | undefined;

type Method = (...given: readonly unknown[]) => Promise<unknown>;

const halved = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || !('exp' in value)) return value;
  const now = Date.UTC(2030, 0, 1) / 1000;
  return { ...value, exp: now + Math.floor((Number(value.exp) - now) / 2) };
};

/** Whether the mutant differs from the program. */
const differs = (kind: Kind, method: string, given: readonly unknown[]): boolean => {
  if (kind === 'expiry halved') return given.some((value) => halved(value) !== value);
  if (kind === 'group dropped') return given.length > 1 && Array.isArray(given.at(-1));
  if (kind === 'result ignored') return method === 'add' || method === 'swap' || method === 'keep';
  return true;
};

const mutated = async (
  kind: Kind,
  call: (given: readonly unknown[]) => Promise<unknown>,
  given: readonly unknown[],
): Promise<unknown> => {
  if (kind === 'left out') return true;
  if (kind === 'expiry halved') return call(given.map(halved));
  if (kind === 'group dropped') return call(given.slice(0, -1));
  if (kind === 'result ignored') return call(given).then((result) => (typeof result === 'boolean' ? true : result));
  if (kind === 'not awaited') {
    call(given).catch(() => undefined);
    return true;
  }
  postponed = () => void call(given).catch(() => undefined);
  return true;
};

Object.assign(globalThis, {
  mutable: (
    site: number,
    object: Readonly<Record<string, Method>>,
    method: string,
    given: readonly unknown[],
  ): unknown => {
    reached?.add(site);
    const call = (all: readonly unknown[]): Promise<unknown> => (object[method] as Method).call(object, ...all);
    const isMeant = mutant?.site === site && differs(mutant.kind, method, given);
    if (isMeant) applied = true;
    const result = isMeant && mutant !== undefined ? mutated(mutant.kind, call, given) : call(given);
    if (!isMeant) {
      postponed?.();
      postponed = undefined;
    }
    return result;
  },
});

process.on('unhandledRejection', () => undefined);

/** Scenarios that are tried for a mutant, unless `MUTANTS=all` tries all, each with its faults. */
const MOST = process.env['MUTANTS'] === 'all' ? 1000 : 6;

const ROWS: readonly Row[] = (Object.keys(PARTS) as (keyof typeof PARTS)[])
  .flatMap(usual)
  .filter(
    ([{ name }]) =>
      !/two forms|created twice|half a year|owner is erased/.test(name) || process.env['MUTANTS'] === 'all',
  );
const reaching = new Map<number, Row[]>();

/** Finds which rows reach which calls. */
export const prepare = async (): Promise<void> => {
  for (const row of ROWS) {
    reached = new Set();
    await explore(row[0], []);
    for (const site of reached) reaching.set(site, [...(reaching.get(site) ?? []), row]);
  }
  reached = undefined;
};

const broken = async (scenario: Scenario, faults: Row[1]): Promise<string | undefined> => {
  forget(scenario);
  try {
    const [first] = (await explore(scenario, faults, 20_000, true)).broken;
    return first === undefined ? undefined : `${scenario.name}: ${first.promises[0] ?? ''}`;
  } catch (error) {
    return `${scenario.name}: ${String(error).split('\n')[0] ?? ''}`.slice(0, 160);
  } finally {
    forget(scenario);
  }
};

/** The scenario and the promise that find it; empty if the mutant does not exist. */
export const killerOf = async (site: number, kind: Kind): Promise<string> => {
  const rows = reaching.get(site) ?? [];
  if (rows.length === 0) return kind === KINDS[0] ? '**not reached**' : '';
  mutant = { site, kind };
  applied = false;
  try {
    // Without a fault first; few rows find what the first ones do not.
    for (const [scenario] of rows.slice(0, MOST)) {
      const found = await broken(scenario, []);
      if (applied && found !== undefined) return found;
    }
    for (const [scenario, faults] of process.env['MUTANTS'] === 'all' ? rows : []) {
      const found = await broken(scenario, faults);
      if (applied && found !== undefined) return found;
    }
    return applied ? '**survives**' : '';
  } finally {
    mutant = undefined;
    postponed = undefined;
  }
};

export const killerOfAll = async (wanted: string): Promise<string> => {
  for (const [scenario] of ROWS.filter(([{ name }]) => name.includes(wanted)))
    for (const faults of [[], ['ends', 'lost', 'late', 'twice', 'hangs up']] as const) {
      const found = await broken(scenario, faults);
      if (found !== undefined) return found;
    }
  return '**survives**';
};
