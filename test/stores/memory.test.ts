import fc from 'fast-check';
import { memoryStore } from 'oauth-query/stores/memory';
import { storeContract } from 'oauth-query/testing';
import { describe, expect, test } from 'vitest';
import { type Listing, MemoryGroups } from '../../src/stores/memory-groups.js';
import { everyRow } from '../rows.js';

describe('memory store: the contract', () => {
  for (const { name, run } of storeContract(() => ({ open: (clock) => memoryStore({ clock }) }), {
    shared: false,
    offers: ['getMany', 'list'],
  })) {
    test(name, run);
  }
});

describe('memory store: its copies', () => {
  const isFrozen = (value: unknown): boolean =>
    typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(isFrozen));

  test('any JSON is returned equal, frozen at every depth', () => {
    const json = fc.oneof(
      fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), fc.jsonValue()),
      fc.array(fc.jsonValue()),
    );
    return fc.assert(
      fc.asyncProperty(json, async (value) => {
        // A text of JSON knows no -0.
        const plain: object = JSON.parse(JSON.stringify(value));
        const store = memoryStore();
        await store.add('k', plain, Infinity);
        const copy = await store.get('k');
        expect(JSON.stringify(copy)).toBe(JSON.stringify(plain));
        expect(isFrozen(copy)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });
});

const FULL = expect.objectContaining({ code: 'STORE_FULL' });

describe('memory store: its limit', () => {
  test('a full store rejects and removes nothing', async () => {
    const store = memoryStore({ max: 3, clock: () => 0 });
    for (const key of ['a', 'b', 'c']) expect(await store.add(key, { key }, 1_000)).toBe(true);
    await expect(store.add('d', {}, 1_000)).rejects.toEqual(FULL);
    expect(await store.add('a', {}, 1_000), 'an existing record needs no capacity').toBe(false);
    for (const key of ['a', 'b', 'c']) expect(await store.get(key)).toEqual({ key });
  });

  test('a delete or an expiry frees capacity immediately', async () => {
    let now = 0;
    const store = memoryStore({ max: 2, clock: () => now });
    await store.add('a', {}, 1_000);
    await store.add('b', {}, 500);
    await store.delete('a');
    expect(await store.add('c', {}, 900)).toBe(true);
    now = 499;
    await expect(store.add('d', {}, 1_000)).rejects.toEqual(FULL);
    now = 500;
    expect(await store.add('d', {}, 1_000)).toBe(true);
    await expect(store.add('e', {}, 1_000)).rejects.toEqual(FULL);
  });

  test('an expired record can be replaced under its own key in a full store', async () => {
    let now = 0;
    const store = memoryStore({ max: 2, clock: () => now });
    await store.add('a', {}, 500);
    await store.add('b', {}, 1_000);
    now = 500;
    expect(await store.add('a', { is: 'new' }, 1_000)).toBe(true);
    expect(await store.get('a')).toEqual({ is: 'new' });
  });

  test('expired records do not accumulate', async () => {
    let now = 0;
    const store = memoryStore({ clock: () => now });
    for (now = 0; now < 50_000; now += 1) await store.add(`k:${now}`, {}, now + 100);
    expect(store.size).toBeLessThan(300);
  });

  test('each add looks at four, so many that expire at once are removed too', async () => {
    let now = 0;
    const store = memoryStore({ clock: () => now });
    for (let index = 0; index < 1_000; index += 1) await store.add(`old:${index}`, {}, 100);
    now = 100;
    for (let index = 0; index < 500; index += 1) await store.add(`new:${index}`, {}, 1_000);
    expect(store.size).toBe(500);
  });

  test('in a full store each add looks at a thousand, so one that has expired is found sooner or later', async () => {
    let now = 0;
    const store = memoryStore({ max: 5_000, clock: () => now });
    for (let index = 0; index < 5_000; index += 1) await store.add(`k:${index}`, {}, index === 4_000 ? 100 : 1_000);
    now = 100;
    const answers: boolean[] = [];
    for (let attempt = 0; attempt < 6; attempt += 1) {
      answers.push(await store.add('new', {}, 1_000).catch(() => false));
    }
    expect(answers.filter(Boolean)).toEqual([true]);
    expect(store.size).toBe(5_000);
  });

  test('an invalid max is rejected', () =>
    everyRow([0, -1, 1.5, NaN, Infinity, 2 ** 24 + 1], (max) => {
      expect(() => memoryStore({ max })).toThrow(
        expect.objectContaining({
          message: `memoryStore: max must be a whole number from 1 to 16777216, not ${max}`,
          code: 'OQ100',
        }),
      );
    }));
});

describe('the groups of a memory store', () => {
  const key = fc.integer({ min: 0, max: 400 }).map((n) => `k${n}`);
  const step = fc.record({ isAdd: fc.boolean(), key });

  test('a group lists its keys in insertion order, after any changes, in pages of any size', () => {
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 300, maxLength: 1_200 }),
        fc.integer({ min: 1, max: 300 }),
        (steps, limit) => {
          const groups = new MemoryGroups();
          const model = new Map<string, Listing>();
          const remove = (one: string) => {
            const listing = model.get(one);
            if (listing !== undefined) groups.remove(listing);
            model.delete(one);
          };
          for (const { isAdd, key: one } of steps) {
            if (!isAdd) remove(one);
            else if (!model.has(one)) model.set(one, groups.add(one, ['g', `g:${one}`, 'g']));
          }
          const found: string[] = [];
          let page = groups.page('g', { limit });
          for (; page.next !== undefined; page = groups.page('g', { limit, after: page.next })) {
            expect(page.keys.length).toBe(limit);
            found.push(...page.keys);
          }
          expect([...found, ...page.keys]).toEqual([...model.keys()]);
          for (const one of model.keys()) {
            expect(groups.page(`g:${one}`, { limit }).keys).toEqual([one]);
            remove(one);
          }
          expect(groups.page('g', { limit })).toEqual({ keys: [] });
        },
      ),
      { numRuns: 50 },
    );
  });

  test('a cursor that is not the next of a page is the first page', async () => {
    const store = memoryStore({ clock: () => 0 });
    for (const key of ['k1', 'k2']) await store.add(key, {}, 1, ['g']);
    await everyRow(['', 'k1', '1', '1-', '-1-2', '1-1e3', `1-${'1'.repeat(16)}`], async (after) => {
      expect(await store.list('g', { after, limit: 1 })).toEqual({ keys: ['k1'], next: '1-2' });
    });
  });

  test('a record removes its entries, whether it is deleted, expires or is replaced', async () => {
    let now = 0;
    const store = memoryStore({ clock: () => now });
    const keys = async (group: string) => (await store.list(group, { limit: 10 })).keys;
    for (const name of ['deleted', 'ended', 'replaced']) await store.add(name, {}, 100, ['g', 'h']);
    await store.delete('deleted');
    expect(await keys('g')).toEqual(['ended', 'replaced']);
    now = 100;
    await store.add('replaced', {}, 1_000, ['h']);
    await store.add('new', {}, 1_000, ['h']);
    expect(await keys('g')).toEqual([]);
    expect(await keys('h')).toEqual(['replaced', 'new']);
    await store.delete('replaced');
    expect(await keys('h')).toEqual(['new']);
  });

  test('a full store leaves no entry', async () => {
    const store = memoryStore({ max: 1, clock: () => 0 });
    await store.add('a', {}, 1_000, ['g']);
    await expect(store.add('b', {}, 1_000, ['g', 'h'])).rejects.toEqual(FULL);
    expect(await store.add('a', {}, 1_000, ['h'])).toBe(false);
    expect(await store.list('g', { limit: 10 })).toEqual({ keys: ['a'] });
    expect(await store.list('h', { limit: 10 })).toEqual({ keys: [] });
  });
});

describe('memory store: against a model', () => {
  const key = fc.integer({ min: 0, max: 12 }).map((n) => `k${n}`);
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ op: fc.constant('add' as const), key, life: fc.integer({ min: 0, max: 60 }) }),
    },
    { weight: 2, arbitrary: fc.record({ op: fc.constant('get' as const), key }) },
    { weight: 2, arbitrary: fc.record({ op: fc.constant('delete' as const), key }) },
    { weight: 2, arbitrary: fc.record({ op: fc.constant('wait' as const), by: fc.integer({ min: 1, max: 25 }) }) },
  );

  test('any sequence of calls has the results of a plain Map', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 200 }), async (steps) => {
        let now = 1_000;
        const max = 6;
        const store = memoryStore({ max, clock: () => now });
        const model = new Map<string, { value: object; expiresAt: number }>();
        const alive = () => [...model].filter(([, { expiresAt }]) => expiresAt > now);
        for (const [index, action] of steps.entries()) {
          if (action.op === 'wait') now += action.by;
          if (action.op === 'get') {
            const known = alive().find(([name]) => name === action.key);
            expect(await store.get(action.key)).toEqual(known?.[1].value);
          }
          if (action.op === 'delete') {
            model.delete(action.key);
            await store.delete(action.key);
          }
          if (action.op === 'add') {
            const expiresAt = now + action.life;
            const taken = action.life === 0 || alive().some(([name]) => name === action.key);
            const answer = store.add(action.key, { index }, expiresAt);
            if (!taken && alive().length >= max) {
              await expect(answer).rejects.toEqual(FULL);
            } else {
              expect(await answer).toBe(!taken);
              if (!taken) model.set(action.key, { value: { index }, expiresAt });
            }
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});
