/** Work that takes less than this is never a problem, however it grows. */
const FLOOR_MS = 10;

/** Four times the size costs four times as much if the work is linear, 16 times if it is quadratic; this is halfway. */
const MAX_GROWTH = 8;

/** Twice the size costs twice as much if the work is linear, four times if it is quadratic. A body that needs a second read costs more once. */
const MAX_DOUBLING = 3;

const RUNS = 8;

/** Milliseconds of this process alone, so that a busy machine does not count. */
const cost = async (work: () => Promise<unknown>): Promise<number> => {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};

const leastCost = async (work: () => Promise<unknown>, runs: number): Promise<number> => {
  let least = Infinity;
  for (let run = 0; run < runs; run += 1) least = Math.min(least, await cost(work));
  return least;
};

/** The sizes from `least` to `most`, each four times the one before. */
export const sizesUpTo = (most: number, least = 1024): readonly number[] =>
  least > most ? [] : [least, ...sizesUpTo(most, least * 4)];

/**
 * The first step at which four times the size takes more than eight times as long, as a sentence; `undefined` if there is
 * none. It stops there: the next step would take hours.
 */
export const steepStep = async (
  send: (size: number) => Promise<unknown>,
  sizes: readonly number[],
): Promise<string | undefined> => {
  const [least = 0, most = 0] = [sizes[0], sizes.at(-1)];
  // Mostly the least size takes next to nothing, and the most takes less than the floor; what lies between does, too.
  if ((await cost(() => send(least))) < 2 && (await cost(() => send(most))) <= FLOOR_MS) return undefined;
  let before = Infinity;
  for (const [index, size] of sizes.entries()) {
    const work = () => send(size);
    let now = await cost(work);
    if (now > FLOOR_MS && now > MAX_GROWTH * before) {
      now = Math.min(now, await leastCost(work, now > 1000 ? 1 : RUNS));
      before = Math.max(before, await leastCost(() => send(sizes[index - 1] ?? 0), RUNS));
      const half = await leastCost(() => send(size / 2), RUNS);
      if (now > FLOOR_MS && now > MAX_GROWTH * before && now > MAX_DOUBLING * half) {
        return `${size / 4} → ${size}: ${before.toFixed(1)} → ${now.toFixed(1)} ms, ${(now / before).toFixed(1)} times`;
      }
    }
    before = now;
  }
  return undefined;
};
