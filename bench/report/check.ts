/** Whether our own numbers have become worse than the committed ones. Ratios are compared, never times. */
import { isOurs } from '../candidates.js';
import type { Summary } from '../statistics.js';
import type { Results } from './results.js';

/** How much worse a ratio may be before it is a regression: what a busy machine does to it stays below. */
export const TOLERANCE = { http: 1.25, parse: 1.25, imports: 1.4, size: 1.1, memory: 1.15 } as const;

/** One number of ours that must not grow, and how much it may. */
export interface Measure {
  readonly kind: keyof typeof TOLERANCE;
  /** What it is, in words; the same in every run. */
  readonly name: string;
  readonly value: number;
  /** A quarter of its rounds was better than this. Noise only adds, so what is slower by itself is slower here too. */
  readonly low: number;
}

const WRONG = { value: Number.POSITIVE_INFINITY, low: Number.POSITIVE_INFINITY } as const;

const of = ({ median, low }: Summary): Pick<Measure, 'value' | 'low'> => ({ value: median, low });

/** Everything in the results that says how we stand. */
export function measuresOf({ http, parse, imports, size, memory }: Results): readonly Measure[] {
  return [
    ...http.flatMap(({ work, framework, candidate, toBare, toMinimum, disqualified }): Measure[] => {
      if (!isOurs(candidate)) return [];
      const name = `${work} on ${framework} by ${candidate}`;
      // An answer that is wrong is worse than any time.
      if (disqualified !== undefined) return [{ kind: 'http', name: `${name} to bare`, ...WRONG }];
      return [
        ...(toBare === undefined ? [] : [{ kind: 'http', name: `${name} to bare`, ...of(toBare) } as const]),
        ...(toMinimum === undefined
          ? []
          : [{ kind: 'http', name: `${name} to the minimum`, ...of(toMinimum) } as const]),
      ];
    }),
    ...parse
      .filter(({ candidate }) => candidate.includes('same texts'))
      .map(({ candidate, oursTo }) => ({
        kind: 'parse' as const,
        name: `parse to ${candidate}`,
        ...of(oursTo),
      })),
    ...imports
      .filter(({ candidate }) => candidate.startsWith('oauth-query'))
      .map(({ candidate, toPlain }) => ({
        kind: 'imports' as const,
        name: `import of ${candidate} to plain node`,
        ...of(toPlain),
      })),
    ...size
      .filter(({ candidate }) => isOurs(candidate))
      .map(({ bytes }) => ({ kind: 'size' as const, name: 'installed bytes', value: bytes, low: bytes })),
    ...memory
      .filter(({ candidate }) => isOurs(candidate))
      .map(({ bytesPerToken }) => ({
        kind: 'memory' as const,
        name: 'bytes per live token',
        value: bytesPerToken,
        low: bytesPerToken,
      })),
  ];
}

export interface Regression extends Measure {
  readonly reference: number;
  readonly tolerance: number;
}

/** What of the measured is worse than in the reference by more than its tolerance. What the reference lacks is new. */
export function regressions(measured: Results, reference: Results): readonly Regression[] {
  const known = new Map(measuresOf(reference).map(({ name, value }) => [name, value]));
  return measuresOf(measured).flatMap((measure): Regression[] => {
    const before = known.get(measure.name);
    const tolerance = TOLERANCE[measure.kind];
    return before === undefined || measure.low <= before * tolerance
      ? []
      : [{ ...measure, reference: before, tolerance }];
  });
}

const shown = (value: number): string => (value < 100 ? value.toFixed(2) : Math.round(value).toLocaleString('en'));

/** One sentence for a regression. */
export const sentenceOf = ({ name, value, reference, tolerance }: Regression): string =>
  Number.isFinite(value)
    ? `${name} is ${shown(value)}, was ${shown(reference)}: more than ${tolerance} times as much.`
    : `${name} cannot be compared, because answers were wrong.`;
