import assert from 'node:assert/strict';
import type { ListPage, Store } from '../stores/index.js';
import { type Bench, type Check, HOUR, MINUTE, range, START } from './bench.js';

/** Calls `getMany` of the store. */
const getMany = async (store: Store, ...keys: string[]): Promise<readonly (object | undefined)[]> => {
  assert.ok(store.getMany, 'the store has no getMany');
  const records = await store.getMany(keys);
  assert.equal(records.length, keys.length, 'getMany answers one element per key');
  return records;
};

/** Requirements for a store with `getMany`. */
export const GET_MANY: Record<string, Check> = {
  'getMany returns the records in the order of the keys': async ({ store }) => {
    for (const index of range(5)) await store.add(`{m}:${index}`, { index }, START + HOUR);
    assert.deepEqual(await getMany(store, '{m}:3', '{m}:0', '{m}:4'), [{ index: 3 }, { index: 0 }, { index: 4 }]);
    assert.deepEqual(await getMany(store, '{m}:4', '{m}:0', '{m}:3'), [{ index: 4 }, { index: 0 }, { index: 3 }]);
  },
  'getMany returns undefined for keys without a live record': async (bench) => {
    const { store } = bench;
    await store.add('{m}:there', { is: 'there' }, START + HOUR);
    await store.add('{m}:short', { is: 'short' }, START + MINUTE);
    await store.add('{m}:deleted', { is: 'deleted' }, START + HOUR);
    await store.delete('{m}:deleted');
    bench.now = START + MINUTE - 1;
    const keys = ['{m}:nothing', '{m}:short', '{m}:there', '{m}:deleted'];
    assert.deepEqual(await getMany(store, ...keys), [undefined, { is: 'short' }, { is: 'there' }, undefined]);
    bench.now = START + MINUTE;
    assert.deepEqual(await getMany(store, ...keys), [undefined, undefined, { is: 'there' }, undefined]);
  },
  'getMany returns a repeated key repeatedly': async ({ store }) => {
    await store.add('{m}:1', { is: 'first' }, START + HOUR);
    const first = { is: 'first' };
    assert.deepEqual(await getMany(store, '{m}:1', '{m}:2', '{m}:1', '{m}:2'), [first, undefined, first, undefined]);
  },
  'getMany of one key, and of none': async ({ store }) => {
    await store.add('m:1', { is: 'first' }, START + HOUR);
    assert.deepEqual(await getMany(store, 'm:1'), [{ is: 'first' }]);
    assert.deepEqual(await getMany(store, 'm:2'), [undefined]);
    assert.deepEqual(await getMany(store), []);
  },
  'getMany of 64 keys, with and without a common tag': async ({ store }) => {
    const keys = range(64).map((index) => (index % 2 === 0 ? `{tag:${index % 6}}:${index}` : `m:${index}`));
    await Promise.all(keys.map((key) => store.add(key, { key }, START + HOUR)));
    const records = keys.map((key) => ({ key }));
    assert.deepEqual(await getMany(store, ...keys), records);
    assert.deepEqual(await getMany(store, ...keys.toReversed()), records.toReversed());
  },
};

/** Reads one page and verifies the rules for every page. */
const pageOf = async (store: Store, group: string, limit: number, after?: string): Promise<ListPage> => {
  assert.ok(store.list, 'the store has no list');
  const { keys, next } = await store.list(group, after === undefined ? { limit } : { after, limit });
  if (next === undefined) assert.ok(keys.length <= limit, `a page of ${limit} has ${keys.length} keys`);
  else {
    assert.equal(keys.length, limit, 'a page that is not the last has as many keys as were asked for');
    assert.match(next, /^[ -~]{1,200}$/, 'next is printable ASCII of at most 200 characters');
  }
  return { keys, next };
};

/** Reads all keys of a group, page by page. `between` runs after each page except the last. */
const walk = async (
  store: Store,
  group: string,
  limit = 1_000,
  between: (page: readonly string[]) => Promise<unknown> = async () => undefined,
): Promise<string[]> => {
  const found: string[] = [];
  for (let after: string | undefined; ;) {
    const { keys, next } = await pageOf(store, group, limit, after);
    found.push(...keys);
    assert.ok(found.length < 10_000, 'the walk does not end');
    if (next === undefined) break;
    await between(keys);
    after = next;
  }
  assert.equal(new Set(found).size, found.length, 'a walk names a key at most once');
  return found.sort();
};

/** Adds records `{name}:0`, `{name}:1`, … to groups, and returns their keys in order. */
const addMany = async (
  store: Store,
  name: string,
  count: number,
  end: number,
  ...groups: string[]
): Promise<string[]> => {
  const keys = range(count).map((index) => `${name}:${index}`);
  const answers = await Promise.all(keys.map((key) => store.add(key, { key }, end, groups)));
  assert.ok(answers.every(Boolean), 'an add to a group is answered like any other');
  return keys.sort();
};

/** Asserts that all of these were listed. */
const assertNamed = (found: readonly string[], keys: readonly string[]): void => {
  const missing = keys.filter((key) => !found.includes(key));
  assert.deepEqual(missing, [], `${missing.length} of ${keys.length} live records are missing`);
};

/**
 * Reads a record again and again while it is being written. As soon as it has this `rev`, its group lists it.
 *
 * @param seen - `readAt` is the time at which the group is read.
 */
const assertListedOnceSeen = async (
  bench: Bench,
  { key, rev, readAt }: { readonly key: string; readonly rev: string; readonly readAt: number },
  write: () => Promise<boolean>,
): Promise<void> => {
  let isOver = false;
  const writing = write().finally(() => {
    isOver = true;
  });
  const look = async (): Promise<void> => {
    for (let wasOver = false; ; wasOver = isOver) {
      const record = await bench.store.get(key);
      if (Reflect.get(Object(record), 'rev') === rev) break;
      assert.ok(!wasOver, 'the record was written, and cannot be read');
      await new Promise((resolve) => setImmediate(resolve));
    }
    bench.now = readAt;
    assertNamed(await walk(bench.store, 'g'), [key]);
  };
  assert.deepEqual(await Promise.all([writing, look(), look(), look()]), [true, undefined, undefined, undefined]);
};

/** Unusual names, one per kind of mistake. Groups must be distinguished to the last character. */
const NAMES = ['g', 'G', 'g ', 'g:', 'g:1', 'g*', 'g%', 'g_', "g'", '{g}', 'g}', '{', '__proto__', 'g'.repeat(200)];

/** Requirements for a store with `list`. */
export const LIST: Record<string, Check> = {
  'list returns the keys that were added to the group': async ({ store }) => {
    await store.add('k:1', { is: 'first' }, START + HOUR, ['g:1']);
    await store.add('k:2', { is: 'second' }, START + HOUR, ['g:2', 'g:1']);
    await store.add('k:3', { is: 'third' }, START + HOUR, []);
    await store.add('k:4', { is: 'fourth' }, START + HOUR);
    assert.deepEqual(await walk(store, 'g:1'), ['k:1', 'k:2']);
    assert.deepEqual(await walk(store, 'g:2'), ['k:2']);
    assert.deepEqual(await store.get('k:2'), { is: 'second' });
  },
  'a swapped record stays in its groups': async (bench) => {
    const { store } = bench;
    const groups = ['g:1', 'g:2'];
    await store.add('k:1', { rev: '1' }, START + HOUR, groups);
    for (const [before, rev, end] of [
      ['1', '2', 2 * HOUR],
      ['2', '3', HOUR / 2],
    ] as const) {
      assert.equal(await store.swap('k:1', before, { rev }, START + end, groups), true);
      assert.deepEqual(await walk(store, 'g:1'), ['k:1']);
      assert.deepEqual(await walk(store, 'g:2'), ['k:1']);
    }
    bench.now = START + HOUR / 2 - 1;
    assertNamed(await walk(store, 'g:1'), ['k:1']);
    await store.delete('k:1');
    await store.add('k:1', { rev: '4' }, START + HOUR, ['g:3']);
    assert.deepEqual(await walk(store, 'g:3'), ['k:1']);
  },
  'a swapped record is listed until the millisecond before its new deadline': async (bench) => {
    const { store } = bench;
    const groups = ['g:1', 'g:2', 'g:3', 'g:4'];
    await store.add('k:1', { rev: '1' }, START + MINUTE, groups);
    assert.equal(await store.swap('k:1', '1', { rev: '2' }, START + HOUR, groups), true);
    bench.now = START + HOUR - 1;
    assert.equal(await store.swap('k:1', '2', { rev: '3' }, START + 2 * HOUR, groups), true);
    bench.now = START + 2 * HOUR - 1;
    for (const group of groups) {
      // Expired entries may be removed while others are added.
      await addMany(store, `new:${group}`, 50, START + 3 * HOUR, group);
      assertNamed(await walk(store, group), ['k:1']);
    }
  },
  'a swap that returns false removes no record from its groups': async (bench) => {
    const { store } = bench;
    const groups = ['g:1', 'g:2'];
    await store.add('k:1', { rev: '1' }, START + MINUTE, groups);
    assert.equal(await store.swap('k:1', '1', { rev: '2' }, START + 2 * HOUR, groups), true);
    assert.equal(await store.swap('k:1', '1', { rev: '3' }, START + 2 * MINUTE, groups), false);
    assert.equal(await store.swap('k:1', '2', { rev: '3' }, START, groups), false);
    bench.now = START + HOUR;
    for (const group of groups) {
      await addMany(store, `new:${group}`, 50, START + 2 * HOUR, group);
      assertNamed(await walk(store, group), ['k:1']);
    }
  },
  'a record is listed as soon as it can be read': async (bench) => {
    const { store } = bench;
    for (const round of range(20)) {
      const seen = { key: `k:${round}`, rev: 'first', readAt: START };
      await assertListedOnceSeen(bench, seen, () => store.add(seen.key, { rev: 'first' }, START + HOUR, ['g']));
    }
  },
  'a swapped record is listed until its new deadline as soon as it can be read': async (bench) => {
    const { store } = bench;
    for (const round of range(20)) {
      bench.now = START;
      const seen = { key: `k:${round}`, rev: 'second', readAt: START + MINUTE };
      await store.add(seen.key, { rev: 'first' }, START + MINUTE, ['g']);
      const swap = (): Promise<boolean> => store.swap(seen.key, 'first', { rev: 'second' }, START + HOUR, ['g']);
      await assertListedOnceSeen(bench, seen, swap);
    }
  },
  'changes to a value after add or swap do not affect a record in a group': async ({ store }) => {
    const [first, second] = [
      { rev: '1', list: ['a'] },
      { rev: '2', list: ['a'] },
    ];
    const adding = store.add('k:1', first, START + HOUR, ['g']);
    first.list.push('b');
    assert.equal(await adding, true);
    assert.deepEqual(await store.get('k:1'), { rev: '1', list: ['a'] });
    const swapping = store.swap('k:1', '1', second, START + HOUR, ['g']);
    second.list.push('b');
    assert.equal(await swapping, true);
    assert.deepEqual(await store.get('k:1'), { rev: '2', list: ['a'] });
  },
  'list of an unknown group is a page without keys': async ({ store }) => {
    await store.add('k:1', {}, START + HOUR, ['g:1']);
    for (const group of ['g', 'k:1', 'unknown']) {
      const { keys, next } = await pageOf(store, group, 10);
      assert.deepEqual([...keys], []);
      assert.equal(next, undefined);
    }
  },
  'a record in four groups, and in one twice': async ({ store }) => {
    const groups = ['g:1', 'g:2', 'g:3', 'g:4'];
    assert.equal(await store.add('k:1', {}, START + HOUR, groups), true);
    assert.equal(await store.add('k:2', {}, START + HOUR, ['g:1', 'g:1']), true);
    for (const group of groups.slice(1)) assert.deepEqual(await walk(store, group), ['k:1']);
    assert.deepEqual(await walk(store, 'g:1'), ['k:1', 'k:2']);
  },
  'groups are distinguished to the last character': async ({ store }) => {
    for (const name of NAMES) assert.equal(await store.add(`{k}${name.slice(0, 9)}`, {}, START + HOUR, [name]), true);
    for (const name of NAMES) assert.deepEqual(await walk(store, name), [`{k}${name.slice(0, 9)}`], name);
  },
  'keys of a group are distinguished to the last character': async ({ store }) => {
    const keys = [...NAMES, `${'g'.repeat(199)}h`].sort();
    for (const key of keys) assert.equal(await store.add(key, {}, START + HOUR, ['g']), true);
    assert.deepEqual(await walk(store, 'g'), keys);
    assert.deepEqual(await walk(store, 'g', 1), keys);
  },
  'pages of 1,000 keys, of any length': async ({ store }) => {
    const keys = await addMany(store, 'k', 1_000, START + HOUR, 'g');
    for (const limit of [1_000, 999, 500, 37]) assert.deepEqual(await walk(store, 'g', limit), keys, `of ${limit}`);
  },
  'a walk lists all records that outlive it, whatever is added and deleted meanwhile': async ({ store }) => {
    const keys = await addMany(store, 'k', 200, START + HOUR, 'g');
    const goes = (key: string): boolean => key.endsWith('7');
    let round = 0;
    const found = await walk(store, 'g', 10, async (page) => {
      round += 1;
      // The last key of a page is where the next one may begin.
      await Promise.all(
        [...page.slice(-1), ...keys.filter(goes).slice(round, round + 1)].map((key) => store.delete(key)),
      );
      await addMany(store, `new:${round}`, 10, START + HOUR, 'g');
    });
    assertNamed(
      found,
      keys.filter((key) => !goes(key)),
    );
  },
  'simultaneous adds are all listed': async ({ store }) => {
    const before = await addMany(store, 'before', 100, START + HOUR, 'g');
    const [during, ...walks] = await Promise.all([
      addMany(store, 'during', 300, START + HOUR, 'g', 'other'),
      ...range(5).map(() => walk(store, 'g', 20)),
    ]);
    for (const found of walks) assertNamed(found, before);
    assert.deepEqual(await walk(store, 'g'), [...before, ...during].sort());
    assert.deepEqual(await walk(store, 'other'), during);
  },
  'of 20 simultaneous adds to groups one returns true, and its group lists the record': async ({ store }) => {
    for (const round of range(20)) {
      const add = (caller: number) => store.add(`race:${round}`, { caller }, START + HOUR, [`g:${caller}`]);
      const answers = await Promise.all(range(20).map(add));
      assert.equal(answers.filter(Boolean).length, 1, 'one of 20 returns true');
      assertNamed(await walk(store, `g:${answers.indexOf(true)}`), [`race:${round}`]);
    }
  },
  'a record is listed until the millisecond before its deadline': async (bench) => {
    const { store } = bench;
    await store.add('k:1', {}, START + HOUR, ['g']);
    bench.now = START + HOUR - 1;
    assert.deepEqual(await walk(store, 'g'), ['k:1']);
  },
  'an add that returns false removes no record from its groups': async (bench) => {
    const { store } = bench;
    await store.add('k:1', {}, START + 2 * HOUR, ['g:1', 'g:2']);
    assert.equal(await store.add('k:1', {}, START + MINUTE, ['g:1']), false);
    assert.equal(await store.add('k:1', {}, START, ['g:2']), false);
    bench.now = START + HOUR;
    for (const group of ['g:1', 'g:2']) {
      await addMany(store, `new:${group}`, 50, START + 2 * HOUR, group);
      assertNamed(await walk(store, group), ['k:1']);
    }
  },
  'a record written again, after a delete or its deadline, is listed once, until its new deadline': async (bench) => {
    const { store } = bench;
    await store.add('k:1', {}, START + MINUTE, ['g']);
    await store.delete('k:1');
    assert.equal(await store.add('k:1', {}, START + 2 * HOUR, ['g']), true);
    await store.add('k:2', {}, START + MINUTE, ['g']);
    bench.now = START + HOUR;
    assert.equal(await store.add('k:2', {}, START + 2 * HOUR, ['g']), true);
    await addMany(store, 'new', 50, START + 2 * HOUR, 'g');
    assertNamed(await walk(store, 'g'), ['k:1', 'k:2']);
  },
  'expired keys are removed while others are added': async (bench) => {
    const { store } = bench;
    await addMany(store, 'old', 50, START + MINUTE, 'g');
    await Promise.all(range(10).map((index) => store.delete(`old:${index}`)));
    bench.now = START + HOUR;
    const keys = await addMany(store, 'new', 500, START + 2 * HOUR, 'g');
    assert.deepEqual(await walk(store, 'g'), keys);
  },
  'the key of a swapped record that was deleted is removed while others are added': async (bench) => {
    const { store } = bench;
    await store.add('old', { rev: '1' }, START + MINUTE, ['g']);
    assert.equal(await store.swap('old', '1', { rev: '2' }, START + 2 * MINUTE, ['g']), true);
    await store.delete('old');
    bench.now = START + HOUR;
    const keys = await addMany(store, 'new', 500, START + 2 * HOUR, 'g');
    assert.deepEqual(await walk(store, 'g'), keys);
  },
};

/** Requirements if several stores see the same records. */
export const LIST_SHARED: Record<string, Check> = {
  'additions of one store to a group are listed by the others immediately': async (bench) => {
    const stores = [bench.store, await bench.another(), await bench.another(), await bench.another()];
    const keys = await Promise.all(
      stores.map((store, index) => addMany(store, `k:${index}`, 50, START + HOUR, 'g', `g:${index}`)),
    );
    for (const store of stores) {
      assert.deepEqual(await walk(store, 'g', 30), keys.flat().sort());
      assert.deepEqual(await walk(store, 'g:3'), keys[3]);
    }
    const again = await bench.reopen();
    assert.deepEqual(await walk(again, 'g', 30), keys.flat().sort());
  },
  'a store whose clock is a minute ahead removes no entry that is live for the others': async (bench) => {
    const ahead = await bench.another(MINUTE);
    const keys = await addMany(bench.store, 'k', 50, START + 2 * MINUTE, 'g');
    bench.now = START + 2 * MINUTE - 1;
    await addMany(ahead, 'new', 200, START + HOUR, 'g');
    assertNamed(await walk(bench.store, 'g'), keys);
  },
};
