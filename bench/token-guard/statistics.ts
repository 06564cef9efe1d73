/** The middle value; of an even number of values the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length / 2;
  const below = sorted[Math.ceil(half) - 1] ?? Number.NaN;
  const above = sorted[Math.floor(half)] ?? Number.NaN;
  return (below + above) / 2;
}
