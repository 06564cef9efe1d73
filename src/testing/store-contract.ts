import assert from 'node:assert/strict';
import type { Store } from '../stores/index.js';
import {
  assertOneWrites,
  type Check,
  HOUR,
  MINUTE,
  type MaybePromise,
  onPlace,
  range,
  START,
  type StorePlace,
} from './bench.js';
import { GET_MANY, LIST, LIST_SHARED } from './optional-cases.js';
import { SWAP, SWAP_SHARED } from './swap-cases.js';

/** Describes the store to `storeContract`. */
export interface StoreContractOptions {
  /**
   * Whether all stores opened for one place see the same records, even after the others were closed.
   * Default true; set it to false only for a store in the memory of one process.
   */
  readonly shared?: boolean | undefined;
  /** Optional methods of the store, whose cases are then included. Default: none. */
  readonly offers?: readonly StoreCapability[] | undefined;
}

/** An optional method of a {@link Store}. */
type StoreCapability = 'getMany' | 'list';

/** The cases for an optional method, and those for stores that see the same records. */
const CAPABILITIES: Readonly<Record<StoreCapability, readonly [Record<string, Check>, Record<string, Check>]>> = {
  getMany: [GET_MANY, {}],
  list: [LIST, LIST_SHARED],
};

/** One requirement. `run` rejects with an assertion error that describes what the store did. */
export interface ContractCase {
  /** The requirement, for use as a test title. */
  readonly name: string;
  /** Checks the store. */
  run(): Promise<void>;
}

/**
 * The requirements of every {@link Store}, as cases for any test runner:
 *
 * ```ts
 * for (const { name, run } of storeContract(() => ({ open: (clock) => myStore({ clock }) }), { shared: false })) {
 *   test(name, run);
 * }
 * ```
 *
 * Each case has its own place and a clock it sets itself, so nothing waits.
 */
export function storeContract(
  makePlace: () => MaybePromise<StorePlace>,
  options: StoreContractOptions = {},
): ContractCase[] {
  const { shared = true, offers = [] } = options;
  const cases = [BASIC, VALUES, RACES, TIME, SWAP, offering(offers)];
  if (shared) cases.push(SHARED, SWAP_SHARED);
  for (const capability of offers) {
    const [own, among] = CAPABILITIES[capability];
    cases.push(own, shared ? among : {});
  }
  return cases.flatMap(Object.entries<Check>).map(([name, check]) => ({ name, run: () => onPlace(makePlace, check) }));
}

const assertOneWinner = (stores: readonly Store[], key: string, expiresAt: number): Promise<void> =>
  assertOneWrites(
    stores,
    key,
    (caller) => ({ caller }),
    async (store, value) => store.add(key, value, expiresAt),
  );

const BASIC: Record<string, Check> = {
  'add writes a record that get returns': async ({ store }) => {
    assert.equal(await store.add('a:1', { is: 'first' }, START + HOUR), true);
    assert.deepEqual(await store.get('a:1'), { is: 'first' });
    assert.deepEqual(await store.get('a:1'), { is: 'first' }, 'reading takes nothing away');
  },
  'get of an unknown key returns undefined': async ({ store }) => {
    assert.equal(await store.get('unknown'), undefined);
  },
  'a second add returns false and changes neither value nor deadline': async (bench) => {
    const { store } = bench;
    await store.add('a:1', { is: 'first' }, START + MINUTE);
    assert.equal(await store.add('a:1', { is: 'second' }, START + HOUR), false);
    assert.deepEqual(await store.get('a:1'), { is: 'first' });
    bench.now = START + MINUTE;
    assert.equal(await store.get('a:1'), undefined, 'the refused add has moved the deadline');
  },
  'delete removes a record immediately, and a new one can be added': async ({ store }) => {
    await store.add('a:1', { is: 'first' }, START + HOUR);
    assert.equal(await store.delete('a:1'), undefined);
    assert.equal(await store.get('a:1'), undefined);
    assert.equal(await store.add('a:1', { is: 'second' }, START + HOUR), true);
    assert.deepEqual(await store.get('a:1'), { is: 'second' });
  },
  'delete of an unknown key is not an error': async ({ store }) => {
    await store.delete('unknown');
    await store.delete('unknown');
  },
  'keys are distinguished to the last character': async ({ store }) => {
    const long = 'k'.repeat(199);
    const odd = [
      'a',
      'A',
      'a ',
      ' a',
      'a:',
      'a*',
      'a%',
      'a_',
      'a?',
      "a'",
      'a"',
      'a\\',
      '{a}',
      '{b}a',
      '__proto__',
      `${long}1`,
      `${long}2`,
    ];
    const all = [...odd, ...range(95).map((code) => `=${String.fromCharCode(code + 32)}=`)];
    for (const key of all) assert.equal(await store.add(key, { key }, START + HOUR), true, `add ${key}`);
    await store.delete('a');
    assert.equal(await store.get('a'), undefined);
    for (const key of all.slice(1)) assert.deepEqual(await store.get(key), { key });
  },
  'a key of 200 characters is kept, and a longer one is kept whole or rejected, never cut': async ({ store }) => {
    const key = 'k'.repeat(200);
    const longer = [`${key}1`, `${key}2`];
    for (const given of [...longer, key]) {
      const added = await store.add(given, { given }, START + HOUR).catch((error: unknown) => {
        if (given === key) throw error;
        return 'rejected';
      });
      if (added === 'rejected') assert.equal(await store.get(given), undefined);
      else assert.deepEqual([added, await store.get(given)], [true, { given }], 'it was accepted');
    }
  },
  'many live records remain, none is evicted for another': async ({ store }) => {
    // Not all at once: a pool of connections may reject what waits for seconds.
    const batches = range(20).map((batch) => range(100).map((index) => `many:${batch}:${index}`));
    for (const keys of batches)
      assert.ok((await Promise.all(keys.map((key) => store.add(key, { key }, START + HOUR)))).every(Boolean));
    for (const keys of batches)
      await Promise.all(keys.map(async (key) => assert.deepEqual(await store.get(key), { key })));
  },
};

const VALUES: Record<string, Check> = {
  'a value is returned unchanged': async ({ store }) => {
    const value = {
      text: 'ünï ☃ 💾 \u2028 "quoted" \\ \n \u0000 \ud800',
      numbers: [0, -1, 1.5, 1e-7, 1e21, Number.MAX_SAFE_INTEGER, 1_790_000_000_123],
      booleans: [true, false],
      nothing: null,
      empty: [{}, [], ''],
      deep: { er: [{ still: { deeper: ['x', null] } }] },
      'a key': { "it's": 1, expiresAt: 5, key: 'k', value: 'v' },
    };
    await store.add('v:1', structuredClone(value), START + HOUR);
    assert.deepEqual(await store.get('v:1'), value);
    await store.add('v:2', {}, START + HOUR);
    assert.deepEqual(await store.get('v:2'), {});
    const long = { text: 'ä'.repeat(20_000) };
    await store.add('v:3', { ...long }, START + HOUR);
    assert.deepEqual(await store.get('v:3'), long);
  },
  'changes to a value after add do not affect the record': async ({ store }) => {
    const value = { scope: 'read', deep: { list: ['a'] } };
    await store.add('v:1', value, START + HOUR);
    attempt(() => (value.scope = 'read write'));
    attempt(() => value.deep.list.push('b'));
    assert.deepEqual(await store.get('v:1'), { scope: 'read', deep: { list: ['a'] } });
  },
  'changes to a value from get do not affect the record': async ({ store }) => {
    await store.add('v:1', { scope: 'read', deep: { list: ['a'] } }, START + HOUR);
    const value = await store.get('v:1');
    assert.ok(value);
    attempt(() => Object.assign(value, { scope: 'read write' }));
    attempt(() => Object.assign(value, { more: true }));
    attempt(() => {
      const { deep } = Object(value) as { deep: { list: string[] } }; // what was added two lines above
      deep.list.push('b');
    });
    assert.deepEqual(await store.get('v:1'), { scope: 'read', deep: { list: ['a'] } });
  },
};

/** A frozen value may reject a change, but need not. */
const attempt = (change: () => unknown): void => {
  try {
    change();
  } catch (error) {
    assert.ok(error instanceof TypeError);
  }
};

const RACES: Record<string, Check> = {
  'of 20 simultaneous adds one returns true': async ({ store }) => {
    for (const round of range(50)) await assertOneWinner([store], `race:${round}`, START + HOUR);
  },
  'of 20 simultaneous adds over an expired record one returns true': async (bench) => {
    const { store } = bench;
    for (const round of range(20)) await store.add(`race:${round}`, { old: true }, START + MINUTE);
    bench.now = START + MINUTE;
    for (const round of range(20)) await assertOneWinner([store], `race:${round}`, START + HOUR);
  },
  'a completed add is visible to every later call': async ({ store }) => {
    await Promise.all(
      range(200).map(async (index) => {
        const key = `seen:${index}`;
        assert.equal(await store.add(key, { index }, START + HOUR), true);
        assert.deepEqual(await store.get(key), { index });
        await store.delete(key);
        assert.equal(await store.get(key), undefined);
        assert.equal(await store.add(key, { again: index }, START + HOUR), true);
      }),
    );
  },
};

const TIME: Record<string, Check> = {
  'a record lives until the millisecond before its deadline': async (bench) => {
    const { store } = bench;
    await store.add('t:1', { is: 'first' }, START + HOUR);
    bench.now = START + HOUR - 1;
    assert.deepEqual(await store.get('t:1'), { is: 'first' }, 'it is gone too early');
    assert.equal(await store.add('t:1', { is: 'second' }, START + 2 * HOUR), false);
    bench.now = START + HOUR;
    assert.equal(await store.get('t:1'), undefined, 'it is still there at its deadline');
  },
  'a record that lives for one millisecond': async (bench) => {
    const { store } = bench;
    assert.equal(await store.add('t:1', { is: 'short' }, START + 1), true);
    assert.deepEqual(await store.get('t:1'), { is: 'short' });
    bench.now = START + 1;
    assert.equal(await store.get('t:1'), undefined);
  },
  'at its deadline a record can be replaced': async (bench) => {
    const { store } = bench;
    await store.add('t:1', { is: 'first' }, START + MINUTE);
    bench.now = START + MINUTE;
    assert.equal(await store.add('t:1', { is: 'second' }, START + HOUR), true);
    assert.deepEqual(await store.get('t:1'), { is: 'second' });
    bench.now = START + HOUR - 1;
    assert.deepEqual(await store.get('t:1'), { is: 'second' }, 'the first deadline is still in force');
    bench.now = START + HOUR;
    assert.equal(await store.get('t:1'), undefined);
  },
  'a delete also removes the deadline': async (bench) => {
    const { store } = bench;
    await store.add('t:1', { is: 'first' }, START + MINUTE);
    await store.delete('t:1');
    await store.add('t:1', { is: 'second' }, START + HOUR);
    bench.now = START + MINUTE;
    for (const index of range(50)) await store.add(`t:other:${index}`, {}, START + HOUR);
    assert.deepEqual(await store.get('t:1'), { is: 'second' });
    assert.equal(await store.add('t:1', { is: 'third' }, START + HOUR), false);
  },
  'an add whose deadline has passed writes nothing and returns false': async (bench) => {
    const { store } = bench;
    assert.equal(await store.add('t:1', { is: 'late' }, START), false);
    assert.equal(await store.add('t:2', { is: 'later' }, START - HOUR), false);
    assert.equal(await store.get('t:1'), undefined);
    assert.equal(await store.add('t:1', { is: 'in time' }, START + MINUTE), true);
    assert.equal(await store.add('t:1', { is: 'late' }, START - 1), false);
    assert.deepEqual(await store.get('t:1'), { is: 'in time' }, 'a late add has touched a live record');
  },
  'a record can live for a year': async (bench) => {
    const { store } = bench;
    await store.add('t:1', { is: 'old' }, START + 366 * 24 * HOUR);
    bench.now = START + 366 * 24 * HOUR - 1;
    assert.deepEqual(await store.get('t:1'), { is: 'old' });
    bench.now += 1;
    assert.equal(await store.get('t:1'), undefined);
  },
  'a clock far behind that of the machine': async (bench) => {
    const { store } = bench;
    bench.now = 1_000;
    assert.equal(await store.add('t:1', { is: 'early' }, 2_000), true);
    assert.deepEqual(await store.get('t:1'), { is: 'early' });
    bench.now = 2_000;
    assert.equal(await store.get('t:1'), undefined);
  },
};

const offering = (offers: readonly StoreCapability[]): Record<string, Check> => {
  const all = Object.keys(CAPABILITIES);
  const left = all.filter((name) => !offers.some((offered) => offered === name));
  const others = left.length === 0 ? 'no others' : `not ${left.join(' or ')}, which is optional`;
  return {
    [`the store has the functions that \`offers\` names, and ${others}`]: async ({ store }) => {
      const found = all.filter((name) => typeof Reflect.get(store, name) === 'function');
      assert.deepEqual(found, offers.toSorted(), 'name every function beyond the four verbs in `offers`');
      assert.ok(!found.includes('list') || found.includes('getMany'), 'a store that has list has getMany too');
    },
  };
};

const SHARED: Record<string, Check> = {
  'writes and deletes of one store are visible to the others immediately': async (bench) => {
    const others = [await bench.another(), await bench.another()];
    assert.equal(await bench.store.add('s:1', { by: 'first' }, START + HOUR), true);
    for (const other of others) {
      assert.deepEqual(await other.get('s:1'), { by: 'first' });
      assert.equal(await other.add('s:1', { by: 'other' }, START + HOUR), false);
    }
    await others[0]?.delete('s:1');
    assert.equal(await bench.store.get('s:1'), undefined);
    assert.equal(await others[1]?.get('s:1'), undefined);
  },
  'of 20 simultaneous adds through four stores one returns true': async (bench) => {
    const stores = [bench.store, await bench.another(), await bench.another(), await bench.another()];
    for (const round of range(30)) await assertOneWinner(stores, `race:${round}`, START + HOUR);
    for (const round of range(10)) await bench.store.add(`late:${round}`, { old: true }, START + MINUTE);
    bench.now = START + MINUTE;
    for (const round of range(10)) await assertOneWinner(stores, `late:${round}`, START + HOUR);
  },
  'each store uses its own clock, a minute ahead or behind': async (bench) => {
    const ahead = await bench.another(MINUTE);
    assert.equal(await ahead.add('s:1', { by: 'ahead' }, START + 2 * MINUTE), true);
    assert.equal(await bench.store.add('s:2', { by: 'behind' }, START + 2 * MINUTE), true);
    bench.now = START + MINUTE;
    assert.equal(await ahead.get('s:1'), undefined);
    assert.equal(await ahead.get('s:2'), undefined);
    assert.deepEqual(await bench.store.get('s:1'), { by: 'ahead' }, 'the store behind has lost a live record');
    assert.deepEqual(await bench.store.get('s:2'), { by: 'behind' });
    assert.equal(await bench.store.add('s:1', { by: 'behind' }, START + HOUR), false);
    assert.equal(await ahead.add('s:1', { by: 'ahead again' }, START + HOUR), true);
    assert.deepEqual(await bench.store.get('s:1'), { by: 'ahead again' });
  },
  'records outlive the store that wrote them': async (bench) => {
    await bench.store.add('s:1', { is: 'kept' }, START + HOUR);
    await bench.store.add('s:2', { is: 'deleted' }, START + HOUR);
    await bench.store.delete('s:2');
    const again = await bench.reopen();
    assert.deepEqual(await again.get('s:1'), { is: 'kept' });
    assert.equal(await again.get('s:2'), undefined);
    assert.equal(await again.add('s:1', { is: 'new' }, START + HOUR), false);
    bench.now = START + HOUR;
    assert.equal(await again.get('s:1'), undefined);
  },
};
