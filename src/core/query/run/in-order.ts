import { nextTurn } from '../../base/system.js';

/** Modules that start together. Handlers may compute all at once, so other requests run before further ones start. */
const AT_ONCE = 4;

/** Starts all, and throws the error that comes first in order, not in time. Most requests have a single module. */
export const runInOrder = async <T, R>(all: readonly T[], start: (one: T) => Promise<R>): Promise<readonly R[]> => {
  const [only, second] = all;
  if (only !== undefined && second === undefined) return [await start(only)];
  const running: Promise<PromiseSettledResult<R>[]>[] = [];
  for (let first = 0; first < all.length; first += AT_ONCE) {
    if (first > 0) await nextTurn();
    running.push(Promise.allSettled(all.slice(first, first + AT_ONCE).map(start)));
  }
  return (await Promise.all(running)).flat().map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
};
