/** Whether our own numbers have become worse than the committed ones. Ratios are compared, never times. */
import { isOurs } from '../candidates.js';
import type { Summary } from '../statistics.js';
import type { Results } from './results.js';

/**
 * How much worse a ratio may be before it is a regression: what a busy machine does to it stays below. Two builds that take turns
 * scatter less than a run of today and the committed one.
 */
export const TOLERANCE = { http: 1.15, paired: 1.08, parse: 1.25, imports: 1.4, size: 1.1, memory: 1.15 } as const;

/** One number of ours that must not grow, and how much it may. */
export interface Measure {
  readonly kind: keyof typeof TOLERANCE;
  /** What it is, in words; the same in every run. */
  readonly name: string;
  readonly value: number;
}

const WRONG = { value: Number.POSITIVE_INFINITY } as const;

const of = ({ median }: Summary): Pick<Measure, 'value'> => ({ value: median });

/** The part of the results that is judged. */
export type Judged = Pick<Results, 'http' | 'parse' | 'imports' | 'size' | 'memory' | 'families'>;

/** Everything in the results that says how we stand. */
export function measuresOf({ http, parse, imports, size, memory, families }: Judged): readonly Measure[] {
  return [
    ...http.flatMap(
      ({ work, framework, candidate, userToBare, userToMinimum, userToBefore, disqualified }): Measure[] => {
        if (!isOurs(candidate)) return [];
        const name = `${work} on ${framework} by ${candidate}, user CPU to`;
        // An answer that is wrong is worse than any time.
        if (disqualified !== undefined) return [{ kind: 'http', name: `${name} anything`, ...WRONG }];
        if (userToBefore !== undefined)
          return [{ kind: 'paired', name: `${name} the other build`, ...of(userToBefore) }];
        if (userToMinimum !== undefined) return [{ kind: 'http', name: `${name} the minimum`, ...of(userToMinimum) }];
        return userToBare === undefined ? [] : [{ kind: 'http', name: `${name} bare`, ...of(userToBare) }];
      },
    ),
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
      .map(({ bytes }) => ({ kind: 'size' as const, name: 'installed bytes', value: bytes })),
    ...memory
      .filter(({ candidate }) => isOurs(candidate))
      .map(({ bytesPerToken }) => ({
        kind: 'memory' as const,
        name: 'bytes per live token',
        value: bytesPerToken,
      })),
    ...(families === undefined
      ? []
      : [
          {
            kind: 'memory' as const,
            name: 'bytes per refresh',
            value: families.bytesPerRefresh,
          },
        ]),
  ];
}

export interface Regression extends Measure {
  readonly reference: number;
  readonly tolerance: number;
}

/**
 * What of the measured is worse than in the reference by more than its tolerance. What the reference lacks is new; another build
 * that was measured in turn is its own reference.
 *
 * @param share - Of the tolerance: what is worse by less is worth a second look already.
 */
export function regressions(measured: Judged, reference: Judged, share = 1): readonly Regression[] {
  const known = new Map(measuresOf(reference).map(({ name, value }) => [name, value]));
  return measuresOf(measured).flatMap((measure): Regression[] => {
    const isItsOwn = measure.kind === 'paired' || measure.value === Number.POSITIVE_INFINITY;
    const before = isItsOwn ? 1 : known.get(measure.name);
    const tolerance = TOLERANCE[measure.kind];
    return before === undefined || measure.value <= before * (1 + (tolerance - 1) * share)
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
