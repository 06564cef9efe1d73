import assert from 'node:assert/strict';
import type { Store } from '../stores/index.js';
import { type Check, HOUR, MINUTE, range, START } from './bench.js';

/** Calls `getMany` of the store. */
async function getMany(store: Store, ...keys: string[]): Promise<readonly (object | undefined)[]> {
  assert.ok(store.getMany, 'the store has no getMany');
  const records = await store.getMany(keys);
  assert.equal(records.length, keys.length, 'getMany answers one element per key');
  return records;
}

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
