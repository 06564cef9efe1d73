/** Compares our own ratios with the committed ones. Times are not compared. */
import { isOurs } from '../candidates.js';
import type { Summary } from '../statistics.js';
import type { Results } from './results.js';

/**
 * How much worse a ratio may become: the effect of a busy machine is smaller. A bare route takes so little that its own cost differs
 * from process to process. Two builds that take turns vary less than a run of today and the committed one.
 */
export const TOLERANCE = {
  http: 1.15,
  bare: 1.3,
  paired: 1.08,
  parse: 1.25,
  imports: 1.4,
  size: 1.1,
  memory: 1.15,
} as const;

/** One of our own numbers, which must not grow beyond its tolerance. */
export interface Measure {
  readonly kind: keyof typeof TOLERANCE;
  /** Identifies it, in words; the same in every run. */
  readonly name: string;
  readonly value: number;
  /** A quarter of the rounds is below. Absent if there are no rounds. */
  readonly low?: number;
  /** A quarter of the rounds is above. */
  readonly high?: number;
}

const WRONG = { value: Number.POSITIVE_INFINITY } as const;

const of = ({ median, low, high }: Summary): Pick<Measure, 'value' | 'low' | 'high'> => ({ value: median, low, high });

/** The judged part of the results. */
export type Judged = Pick<Results, 'http' | 'parse' | 'imports' | 'size' | 'memory' | 'families'>;

/** All numbers in the results that are judged. */
export function measuresOf({ http, parse, imports, size, memory, families }: Judged): readonly Measure[] {
  return [
    ...http.flatMap(
      ({ work, framework, candidate, userToBare, userToMinimum, userToBefore, disqualified }): Measure[] => {
        if (!isOurs(candidate)) return [];
        const name = `${work} on ${framework} by ${candidate}, user CPU to`;
        // A wrong response is worse than any time.
        if (disqualified !== undefined) return [{ kind: 'http', name: `${name} anything`, ...WRONG }];
        if (userToBefore !== undefined)
          return [{ kind: 'paired', name: `${name} the other build`, ...of(userToBefore) }];
        if (userToMinimum !== undefined) return [{ kind: 'http', name: `${name} the minimum`, ...of(userToMinimum) }];
        return userToBare === undefined ? [] : [{ kind: 'bare', name: `${name} bare`, ...of(userToBare) }];
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
            // A refresh itself should add nothing, and nothing has no ratio.
            name: 'bytes per grant after a hundred refreshes',
            value: families.bytesPerFamily + 100 * families.bytesPerRefresh,
          },
        ]),
  ];
}

export interface Regression extends Measure {
  readonly reference: number;
  readonly tolerance: number;
}

/**
 * The measurements that are worse than the reference by more than their tolerance, and in three quarters of the rounds worse than three
 * quarters of its rounds: a busy machine makes medians vary, and the reference was measured on one too. New ones, which the
 * reference lacks, are not judged. Of two builds, the other one is the reference.
 *
 * @param share - Of the tolerance; less than 1 to find suspicions.
 */
export function regressions(measured: Judged, reference: Judged, share = 1): readonly Regression[] {
  const known = new Map(measuresOf(reference).map((measure) => [measure.name, measure]));
  return measuresOf(measured).flatMap((measure): Regression[] => {
    const isItsOwn = measure.kind === 'paired' || measure.value === Number.POSITIVE_INFINITY;
    const before: Pick<Measure, 'value' | 'high'> | undefined = isItsOwn ? { value: 1 } : known.get(measure.name);
    if (before === undefined) return [];
    const tolerance = TOLERANCE[measure.kind];
    const { value, low = value } = measure;
    const isWorse = value > before.value * (1 + (tolerance - 1) * share) && low > (before.high ?? before.value);
    return isWorse ? [{ ...measure, reference: before.value, tolerance }] : [];
  });
}

const shown = (value: number): string => (value < 100 ? value.toFixed(2) : Math.round(value).toLocaleString('en'));

/** One sentence for a regression. */
export const sentenceOf = ({ name, value, reference, tolerance }: Regression): string =>
  Number.isFinite(value)
    ? `${name} is ${shown(value)}, was ${shown(reference)}: more than ${tolerance} times as much.`
    : `${name} cannot be compared, because responses were wrong.`;
