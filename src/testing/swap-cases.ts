import assert from 'node:assert/strict';
import type { Revision, Store } from '../stores/index.js';
import { assertOneWrites, type Bench, CALLERS, type Check, HOUR, MINUTE, range, START } from './bench.js';

/** A record that can be replaced. */
const revised = (rev: string, more: object = {}): Revision => ({ rev, ...more });

/** Of 20 swaps of one `before` at once, exactly one replaces the record. */
const assertOneSwapWins = async (stores: readonly Store[], key: string): Promise<void> => {
  await stores[0]?.add(key, revised('before'), START + HOUR);
  await assertOneWrites(
    stores,
    key,
    (caller) => revised(`by-${caller}`),
    async (store, value) => store.swap(key, 'before', value, START + HOUR),
  );
};

/** Asserts that a swap writes nothing, and that the record is still this one. */
const assertRefused = async (
  { store }: Bench,
  key: string,
  before: string,
  { rev = 'other', end = START + HOUR, left }: { rev?: string; end?: number; left: object | undefined },
): Promise<void> => {
  assert.equal(await store.swap(key, before, revised(rev), end), false);
  assert.deepEqual(await store.get(key), left);
};

/** Every printable character that a `rev` may have, in two texts. */
const PRINTABLE = range(94).map((code) => String.fromCharCode(code + 33));
const REVS = [
  PRINTABLE.slice(0, 47).join(''),
  PRINTABLE.slice(47).join(''),
  'r'.repeat(64),
  'r'.repeat(63),
  '__proto__',
];

/** Requirements for `swap`. */
export const SWAP: Record<string, Check> = {
  'swap replaces the record that has the rev': async ({ store }) => {
    const value = { text: 'ünï ☃ 💾 \u2028 "quoted" \\ \n \u0000 \ud800', deep: { list: [1, null, { rev: 'x' }] } };
    await store.add('w:1', revised('1', { old: true }), START + HOUR);
    assert.equal(await store.swap('w:1', '1', revised('2', structuredClone(value)), START + HOUR), true);
    assert.deepEqual(await store.get('w:1'), revised('2', value));
    assert.equal(await store.swap('w:1', '2', revised('3'), START + HOUR), true);
    assert.deepEqual(await store.get('w:1'), revised('3'), 'something of the previous record is left');
    assert.equal(await store.add('w:1', { is: 'new' }, START + HOUR), false);
  },
  'swap of a rev that is no longer there returns false': async (bench) => {
    const { store } = bench;
    await store.add('w:1', revised('1'), START + HOUR);
    await store.swap('w:1', '1', revised('2'), START + HOUR);
    await assertRefused(bench, 'w:1', '1', { left: revised('2') });
    await assertRefused(bench, 'w:1', 'unknown', { left: revised('2') });
  },
  'revs are distinguished to the last character': async (bench) => {
    const { store } = bench;
    for (const [index, rev] of REVS.entries()) {
      const key = `w:${index}`;
      await store.add(key, revised(rev), START + HOUR);
      for (const other of ['', ...REVS, `${rev.slice(0, -1)}?`, rev.toUpperCase(), rev.toLowerCase(), '%', '_', '*'])
        if (other !== rev) await assertRefused(bench, key, other, { left: revised(rev) });
      assert.equal(await store.swap(key, rev, revised(`${index}`), START + HOUR), true, rev);
      assert.equal(await store.swap(key, `${index}`, revised(rev), START + HOUR), true, rev);
      assert.deepEqual(await store.get(key), revised(rev));
    }
  },
  'swap creates nothing: an unknown or deleted record is false': async (bench) => {
    const { store } = bench;
    await assertRefused(bench, 'w:1', '1', { left: undefined });
    await store.add('w:2', revised('1'), START + HOUR);
    await store.delete('w:2');
    await assertRefused(bench, 'w:2', '1', { left: undefined });
    await assertRefused(bench, 'w:2', '1', { rev: '1', left: undefined });
    assert.equal(await store.add('w:2', revised('1'), START + HOUR), true);
  },
  'swap does not replace an expired record': async (bench) => {
    const { store } = bench;
    await store.add('w:1', revised('1'), START + MINUTE);
    bench.now = START + MINUTE - 1;
    assert.equal(await store.swap('w:1', '1', revised('2'), START + 2 * MINUTE), true);
    bench.now = START + 2 * MINUTE;
    await assertRefused(bench, 'w:1', '2', { left: undefined });
    await assertRefused(bench, 'w:1', '1', { rev: '2', left: undefined });
    assert.equal(await store.add('w:1', revised('3'), START + HOUR), true);
  },
  'swap does not replace a record without a rev': async (bench) => {
    const { store } = bench;
    const without = [{}, { rev: 5 }, { rev: null }, { is: 'rev' }, { deep: { rev: '1' } }, { text: '"rev":"1"' }];
    for (const [index, value] of without.entries()) {
      await store.add(`w:${index}`, value, START + HOUR);
      for (const before of ['', '1', '5', 'null', 'undefined'])
        await assertRefused(bench, `w:${index}`, before, { left: value });
    }
  },
  'a swap that is sent again returns true, and changes nothing': async ({ store }) => {
    const { key, second } = { key: 'w:1', second: revised('2', { is: 'second' }) };
    await store.add(key, revised('1'), START + HOUR);
    for (const _time of range(4)) {
      assert.equal(await store.swap(key, '1', second, START + HOUR), true);
      assert.deepEqual(await store.get(key), second);
    }
  },
  'a swap that is sent again after another one returns false': async (bench) => {
    const { store } = bench;
    await store.add('w:1', revised('1'), START + HOUR);
    await store.swap('w:1', '1', revised('2'), START + HOUR);
    await store.swap('w:1', '2', revised('3'), START + HOUR);
    await assertRefused(bench, 'w:1', '1', { rev: '2', left: revised('3') });
  },
  'swap moves the deadline, to an earlier or a later time': async (bench) => {
    const { store } = bench;
    await store.add('w:earlier', revised('1'), START + HOUR);
    await store.add('w:later', revised('1'), START + MINUTE);
    assert.equal(await store.swap('w:earlier', '1', revised('2'), START + MINUTE), true);
    assert.equal(await store.swap('w:later', '1', revised('2'), START + HOUR), true);
    bench.now = START + MINUTE - 1;
    assert.deepEqual(await store.get('w:earlier'), revised('2'));
    bench.now = START + MINUTE;
    // Expired records may be removed while others are added.
    for (const index of range(50)) await store.add(`w:other:${index}`, {}, START + HOUR);
    assert.equal(await store.get('w:earlier'), undefined, 'the later deadline is still in force');
    assert.deepEqual(await store.get('w:later'), revised('2'), 'the earlier deadline is still in force');
    bench.now = START + HOUR;
    assert.equal(await store.get('w:later'), undefined);
  },
  'a swap whose deadline has passed writes nothing and returns false': async (bench) => {
    await bench.store.add('w:1', revised('1'), START + HOUR);
    await assertRefused(bench, 'w:1', '1', { end: START, left: revised('1') });
    await assertRefused(bench, 'w:1', '1', { end: START - HOUR, left: revised('1') });
    assert.equal(await bench.store.swap('w:1', '1', revised('2'), START + 1), true);
  },
  'changes to a value after swap do not affect the record': async ({ store }) => {
    const value = { rev: '2', deep: { list: ['a'] } };
    await store.add('w:1', revised('1'), START + HOUR);
    const swapping = store.swap('w:1', '1', value, START + HOUR);
    value.deep.list.push('b');
    value.rev = '3';
    assert.equal(await swapping, true);
    assert.deepEqual(await store.get('w:1'), { rev: '2', deep: { list: ['a'] } });
  },
  'of 20 simultaneous swaps of one rev one returns true': async ({ store }) => {
    for (const round of range(30)) await assertOneSwapWins([store], `w:${round}`);
  },
  'what 20 simultaneous writers append is all there, if each reads again until it is': async ({ store }) => {
    const names = range(CALLERS)
      .map((caller) => `by-${caller}`)
      .sort();
    await store.add('w:1', revised('0', { names: [] }), START + HOUR);
    await Promise.all(names.map((name) => append(store, 'w:1', name)));
    const { names: found } = Object(await store.get('w:1')) as { names: string[] }; // as written below
    assert.deepEqual(found.toSorted(), names);
  },
  'a deleted record stays deleted, whatever is swapped meanwhile': async ({ store }) => {
    for (const round of range(30)) {
      const key = `w:${round}`;
      await store.add(key, revised('1'), START + HOUR);
      const swap = (): Promise<unknown> => store.swap(key, '1', revised('2'), START + HOUR);
      const calls = [swap, () => store.delete(key), swap];
      await Promise.all((round % 2 === 0 ? calls : calls.slice(1)).map((call) => call()));
      assert.equal(await store.get(key), undefined, 'the swap has brought back a deleted record');
    }
  },
};

/** Appends a name to a record. It may be there after `false` too: a driver sent the swap twice, and another one came in between. */
const append = async (store: Store, key: string, name: string): Promise<void> => {
  for (const attempt of range(1_000)) {
    const { rev, names } = Object(await store.get(key)) as { rev: string; names: string[] }; // as written below
    if (names.includes(name)) return;
    if (await store.swap(key, rev, revised(`${name}-${attempt}`, { names: [...names, name] }), START + HOUR)) return;
  }
  assert.fail('1,000 attempts were not enough for one of 20 writers');
};

/** Requirements for `swap` among stores that see the same records. */
export const SWAP_SHARED: Record<string, Check> = {
  'a completed swap is visible to every other store immediately': async (bench) => {
    const stores = [bench.store, await bench.another(), await bench.another()];
    await bench.store.add('w:1', revised('0'), START + HOUR);
    for (const round of range(30)) {
      const swapped = stores[round % 3]?.swap('w:1', `${round}`, revised(`${round + 1}`), START + HOUR);
      assert.equal(await swapped, true, 'the rev that was just written is unknown');
      for (const store of stores) assert.deepEqual(await store.get('w:1'), revised(`${round + 1}`));
    }
  },
  'of 20 simultaneous swaps through four stores one returns true': async (bench) => {
    const stores = [bench.store, await bench.another(), await bench.another(), await bench.another()];
    for (const round of range(30)) await assertOneSwapWins(stores, `w:${round}`);
  },
  'a swap uses the clock of its store': async (bench) => {
    const ahead = await bench.another(MINUTE);
    await bench.store.add('w:1', revised('1'), START + MINUTE);
    assert.equal(await ahead.swap('w:1', '1', revised('2'), START + HOUR), false, 'the record has expired there');
    assert.equal(await bench.store.swap('w:1', '1', revised('2'), START + 30_000), true);
    assert.deepEqual(await bench.store.get('w:1'), revised('2'));
    assert.equal(await ahead.get('w:1'), undefined);
  },
};
