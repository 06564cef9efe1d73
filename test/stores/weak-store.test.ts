import { memoryStore } from 'oauth-query/stores/memory';
import { storeContract, weakStore } from 'oauth-query/testing';
import { describe, expect, test } from 'vitest';
import { everyRow } from '../rows.js';

type StoreFreedom = NonNullable<NonNullable<Parameters<typeof weakStore>[0]>['freedoms']>[number];

const HOUR = 3_600_000;
const GROUP = ['group'];

/** What a caller sees who relies on more than the contract: on the weakest store, and without one of its freedoms. */
const SEEN: Readonly<Record<StoreFreedom, (freedoms?: readonly StoreFreedom[]) => Promise<unknown>>> = {
  'entries-end': async (freedoms) => {
    let now = 0;
    const store = weakStore({ clock: () => now, ...(freedoms && { freedoms }) });
    await store.add('a', { rev: '1' }, HOUR, GROUP);
    await store.swap('a', '1', { rev: '2' }, 3 * HOUR);
    now = 2 * HOUR;
    return (await store.list('group', { limit: 9 })).keys;
  },
  'entries-stay': async (freedoms) => {
    const store = weakStore({ clock: () => 0, ...(freedoms && { freedoms }) });
    await store.add('a', {}, HOUR, GROUP);
    await store.delete('a');
    return (await store.list('group', { limit: 9 })).keys;
  },
  'no-snapshot': async (freedoms) => {
    const store = weakStore({ clock: () => 0, ...(freedoms && { freedoms }) });
    await store.add('a', { is: 1 }, HOUR);
    await store.add('b', { is: 1 }, HOUR);
    const reading = store.getMany(['a', 'b']);
    await new Promise((resolve) => void setImmediate(resolve));
    await store.delete('a');
    return reading;
  },
  'expired-stay': async (freedoms) => {
    let now = 0;
    const store = weakStore({ clock: () => now, ...(freedoms && { freedoms }) });
    await store.add('a', {}, HOUR);
    now = HOUR;
    expect([await store.get('a'), [...store.entries()]]).toEqual([undefined, []]);
    expect(await store.add('b', {}, 2 * HOUR)).toBe(true);
    return store.size;
  },
};

describe('the weakest store', () => {
  describe.each<[string, readonly StoreFreedom[] | undefined]>([
    ['with every freedom', undefined],
    ['with none', []],
  ])('%s is legal', (_, freedoms) => {
    const open = (clock: () => number) => weakStore({ clock, ...(freedoms && { freedoms }) });
    for (const { name, run } of storeContract(() => ({ open }), { shared: false, offers: ['getMany', 'list'] }))
      test(name, run);
  });

  test('takes each freedom, unless it is left out', () =>
    everyRow(Object.entries(SEEN), async ([name, see]) => {
      expect([name, await see()]).not.toEqual([name, await see([])]);
      expect([name, await see([name as StoreFreedom])]).toEqual([name, await see()]); // One of its keys.
    }));

  test('loses a reply, carries a command out late, or twice, where a test says so', async () => {
    const happens = { a: 'reply lost', b: 'late', c: 'twice' } as const;
    const store = weakStore({
      clock: () => 0,
      event: ({ method, keys: [key = ''] }) => (method === 'add' ? happens[key as 'a'] : undefined), // Or of no row.
    });
    for (const key of ['a', 'b']) await expect(store.add(key, {}, HOUR)).rejects.toThrow('did not answer add');
    expect(await store.add('c', {}, HOUR)).toBe(true);
    expect([await store.get('a'), await store.get('b')]).toEqual([{}, undefined]);
    await store.delete('c');
    expect(await store.carryOut()).toBe(2);
    expect([await store.get('b'), await store.get('c')]).toEqual([{}, {}]);
    expect(await store.carryOut()).toBe(0);
  });

  test('is weaker than the memory store, which lists a record for as long as it lives', async () => {
    let now = 0;
    const store = memoryStore({ clock: () => now });
    await store.add('a', { rev: '1' }, HOUR, GROUP);
    await store.swap('a', '1', { rev: '2' }, 3 * HOUR);
    now = 2 * HOUR;
    expect((await store.list('group', { limit: 9 })).keys).toEqual(['a']);
  });
});
