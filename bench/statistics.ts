/** The median of many measurements, and their spread. */
export interface Summary {
  readonly median: number;
  /** A quarter of the values lies below. */
  readonly low: number;
  /** A quarter of the values lies above. */
  readonly high: number;
}

/** The value below which this share of the values lies, between two values in proportion; NaN without any values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

export const summary = (values: readonly number[]): Summary => ({
  median: median(values),
  low: quantile(values, 0.25),
  high: quantile(values, 0.75),
});

/**
 * The ratios within rounds. A disturbance of the machine affects both sides of a round, so the ratios vary less
 * than the values. Rounds that either side lacks are omitted.
 */
export function ratios(
  values: readonly (number | undefined)[],
  against: readonly (number | undefined)[],
): readonly number[] {
  return values.flatMap((value, round) => {
    const other = against[round];
    return value === undefined || other === undefined ? [] : [value / other];
  });
}

/**
 * The same costs, each with the share of user mode that all of them have together. Linux knows the sum of a process exactly, but usually
 * checks only 250 times a second in which mode it is: too rarely to tell rounds apart.
 */
export function withCommonShare<Cost extends { readonly user: number; readonly system: number }>(
  costs: readonly Cost[],
): readonly Cost[] {
  const user = costs.reduce((sum, cost) => sum + cost.user, 0);
  const total = costs.reduce((sum, cost) => sum + cost.user + cost.system, 0);
  return costs.map((cost) => {
    const own = cost.user + cost.system;
    return { ...cost, user: (own * user) / total, system: own * (1 - user / total) };
  });
}
