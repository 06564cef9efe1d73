import type { Store } from '../core/base/ports.js';

type Calls = Pick<Required<Store>, 'add' | 'swap' | 'get' | 'getMany' | 'list' | 'delete'>;

/**
 * The calls of a store, and a function that waits for those under way: work may follow the last response. Each of them ends in time by
 * itself.
 */
export const countedCalls = (store: Calls): { readonly calls: Calls; readonly settled: () => Promise<void> } => {
  let underWay = 0;
  let onSettled = (): void => undefined;
  const done = (): void => {
    underWay -= 1;
    if (underWay === 0) onSettled();
  };
  const counted =
    <Given extends unknown[], Result>(call: (...given: Given) => Promise<Result>) =>
    (...given: Given): Promise<Result> => {
      underWay += 1;
      const result = call(...given);
      result.then(done, done);
      return result;
    };
  const { add, swap, get, getMany, list, delete: remove } = store;
  return {
    calls: {
      add: counted(add),
      swap: counted(swap),
      get: counted(get),
      getMany: counted(getMany),
      list: counted(list),
      delete: counted(remove),
    },
    settled: () => (underWay === 0 ? Promise.resolve() : new Promise((resolve) => (onSettled = resolve))),
  };
};
