import type { Store } from '../../../src/core/base/ports.js';

/** Before a call of the store leaves the process, or after its answer has come. */
export type Moment = 'before' | 'after';

export interface HaltableStore {
  readonly store: Store;
  /** Counts calls from here on, and halts at this one. */
  haltAt(call: number, moment: Moment): void;
  /** Calls since then. */
  readonly calls: number;
}

/**
 * A store whose process can be halted at any call.
 *
 * @param halt - Resolves when the call may go on.
 */
export function haltable(inner: Store, halt: () => Promise<unknown>): HaltableStore {
  const { getMany } = inner;
  if (getMany === undefined) throw new Error('This is about stores with getMany.');
  let calls = 0;
  let end: { readonly call: number; readonly moment: Moment } | undefined;
  const at = async <T>(work: () => Promise<T>): Promise<T> => {
    calls += 1;
    const moment = calls === end?.call ? end.moment : undefined;
    if (moment === 'before') await halt();
    const answer = await work();
    if (moment === 'after') await halt();
    return answer;
  };
  return {
    store: {
      add: (...record) => at(() => inner.add(...record)),
      swap: (...record) => at(() => inner.swap(...record)),
      get: (key) => at(() => inner.get(key)),
      delete: (key) => at(() => inner.delete(key)),
      getMany: (keys) => at(() => getMany(keys)),
    },
    haltAt(call, moment) {
      calls = 0;
      end = { call, moment };
    },
    get calls() {
      return calls;
    },
  };
}
