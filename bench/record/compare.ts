/** Compares two records by their ratios: times of different machines, or of different runs, say nothing. */
import { recordTitles } from './lineup.js';
import { figuresOf, type RecordResults, type RecordRow } from './results.js';

/** How far two ratios may be apart. */
export const TOLERANCE = 0.15;

/** The row by which those of the same work are divided. The minimum introspects nothing: there it is the bare route. */
const YARDSTICKS = ['hand-written minimum on Fastify', 'bare route on Fastify'] as const;

export interface Comparison {
  /** Which row, in words. */
  readonly name: string;
  /** Work per second and vCPU, as a share of the yardstick's. */
  readonly first: number;
  readonly second: number;
  readonly isWithin: boolean;
}

const nameOf = ({ work, label, store, processes }: RecordRow): string =>
  `${recordTitles[work]}: ${label}, ${store}, ${processes} process${processes === 1 ? '' : 'es'}`;

/** The share of the yardstick's work, by the name of the row. */
function sharesOf({ results }: RecordResults): ReadonlyMap<string, number> {
  const shares = new Map<string, number>();
  for (const row of results) {
    const rows = results.filter(({ work }) => work === row.work);
    const yardstick = YARDSTICKS.map((label) => rows.find((one) => one.label === label)).find(
      (one) => one !== undefined && figuresOf(one) !== undefined,
    );
    const [own, against] = [figuresOf(row), yardstick === undefined ? undefined : figuresOf(yardstick)];
    if (row === yardstick || own === undefined || against === undefined) continue;
    shares.set(nameOf(row), own.perVcpu.median / against.perVcpu.median);
  }
  return shares;
}

export interface Compared {
  readonly rows: readonly Comparison[];
  /** Rows that only one of them has, or that are not counted in one. */
  readonly unmatched: readonly string[];
}

export function compareRecords(first: RecordResults, second: RecordResults): Compared {
  const [one, other] = [sharesOf(first), sharesOf(second)];
  const rows = [...one].flatMap(([name, share]): Comparison[] => {
    const against = other.get(name);
    if (against === undefined) return [];
    const isWithin = Math.max(share, against) <= Math.min(share, against) * (1 + TOLERANCE);
    return [{ name, first: share, second: against, isWithin }];
  });
  const unmatched = [...new Set([...one.keys(), ...other.keys()])].filter((name) => !one.has(name) || !other.has(name));
  return { rows, unmatched };
}

const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;

/** Prints a comparison; returns whether the two records agree. Two without a row in common do not. */
export function printComparison({ rows, unmatched }: Compared): boolean {
  for (const { name, first, second, isWithin } of rows) {
    console.log(
      `${isWithin ? 'same  ' : 'DIFFER'}  ${percent(first).padStart(6)} ${percent(second).padStart(6)}  ${name}`,
    );
  }
  for (const name of unmatched) console.log(`in one only            ${name}`);
  const apart = rows.filter(({ isWithin }) => !isWithin).length;
  if (rows.length === 0) console.log('The two files have no row in common.');
  else console.log(`${rows.length - apart} of ${rows.length} ratios are within ${percent(TOLERANCE)}.`);
  return rows.length > 0 && apart === 0;
}
