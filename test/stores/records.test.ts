import { randomBytes } from 'node:crypto';
import { memoryStore } from 'oauth-query/stores/memory';
import { describe, expect, test, vi } from 'vitest';
import type { Store } from '../../src/core/base/ports.js';
import { Records } from '../../src/core/base/records.js';
import { RandomSource, sha256 } from '../../src/core/base/secrets.js';
import { everyRow } from '../rows.js';

const LATER = Math.floor(Date.now() / 1000) + 3_600;
const record = { exp: LATER };
const ISSUER = 'https://auth.example';
/** In front of every key. */
const A = `${sha256(ISSUER).slice(0, 22)}:`;
const over = (store: Store, issuer = ISSUER): Records => new Records(store, Date.now, issuer);

/** A store of four verbs, and whatever else. */
function plain(more: Partial<Store> = {}): Store {
  const { add, swap, get, delete: remove } = memoryStore();
  return { add, swap, get, delete: remove, ...more };
}

const raise = (error: Error): never => {
  throw error;
};

describe('swap', () => {
  const next = { rev: '2', exp: LATER };

  test('passes key, rev, record and expiry to the store, and returns its answer', async () => {
    const swap = vi.fn<Store['swap']>(async () => true);
    expect(await over(plain({ swap })).swap('chain:1', '1', next)).toBe(true);
    expect(swap.mock.calls).toEqual([[`${A}chain:1`, '1', next, LATER * 1000]]);
    expect(await over(memoryStore()).swap('chain:1', '1', next)).toBe(false);
  });

  test('that fails is neither true nor false', async () => {
    const cause = new Error('away');
    const swapping = (swap: () => unknown) => over(plain({ swap: swap as Store['swap'] })).swap('c:1', '1', next); // nonsense on purpose
    for (const swap of [() => Promise.reject(cause), () => raise(cause)])
      await expect(swapping(swap)).rejects.toMatchObject({ name: 'UnavailableError', cause });
    for (const answer of [undefined, null, 0, 1, 'OK', {}])
      await expect(swapping(async () => answer)).rejects.toThrow(/^swap of the store returned/);
  });

  test('a new rev is printable ASCII without spaces, and never the same', () => {
    const random = new RandomSource(randomBytes);
    const revs = Array.from({ length: 1_000 }, () => random.rev());
    expect(new Set(revs).size).toBe(1_000);
    expect(revs.filter((rev) => !/^[!-~]{16,64}$/.test(rev))).toEqual([]);
  });
});

describe('records in groups', () => {
  test('two servers in one store list no grants of each other, without a prefix', async () => {
    const store = memoryStore();
    const [one, other] = [over(store), over(store, 'https://other.example')];
    expect(await one.add('grant:1', record, ['owner:x'])).toBe(true);
    await one.create('grant:2', record, ['owner:x', 'client:y']);
    await one.create('grant:3', record);
    await other.create('grant:4', record, ['owner:x']);
    expect(await one.list('owner:x', { limit: 10 })).toEqual({ keys: ['grant:1', 'grant:2'] });
    expect(await one.list('client:y', { limit: 10 })).toEqual({ keys: ['grant:2'] });
    expect(await other.list('owner:x', { limit: 10 })).toEqual({ keys: ['grant:4'] });
    const { keys, next } = await one.list('owner:x', { limit: 1 });
    expect(keys).toEqual(['grant:1']);
    expect(await one.list('owner:x', { after: next, limit: 1 })).toEqual({ keys: ['grant:2'] });
  });

  test('a store without list receives no groups, and listing throws an error that names it', async () => {
    const add = vi.fn<Store['add']>(async () => true);
    const records = over(plain({ add }));
    expect(await records.add('grant:1', record, ['owner:x'])).toBe(true);
    expect(add.mock.calls).toEqual([[`${A}grant:1`, record, LATER * 1000]]);
    await expect(records.list('owner:x', { limit: 10 })).rejects.toThrow(/cannot list.*"list"/);
  });

  test('a store with list receives no groups if there are none', async () => {
    const add = vi.fn<Store['add']>(async () => true);
    await over(plain({ add, list: async () => ({ keys: [] }) })).add('grant:1', record);
    expect(add.mock.calls).toEqual([[`${A}grant:1`, record, LATER * 1000]]);
  });

  test('a result that is not a page of keys is rejected', () =>
    everyRow(
      [
        [undefined],
        [null],
        [`${A}k`],
        [[`${A}k`]],
        [{}],
        [{ keys: `${A}k` }],
        [{ keys: [`${A}k`, 5] }],
        [{ keys: ['b:k'] }],
        [{ keys: [`${A}1`, `${A}2`, `${A}3`] }],
        [{ keys: [`${A}k`], next: 5 }],
        [{ keys: [`${A}k`], next: '' }],
        [{ keys: [`${A}k`], next: 'ä' }],
        [{ keys: [`${A}k`], next: 'n'.repeat(201) }],
      ],
      async (answer) => {
        const records = over(plain({ list: async () => answer as never })); // nonsense on purpose
        await expect(records.list('owner:x', { limit: 2 })).rejects.toThrow(/\blist\b.*page of keys/);
      },
    ));

  test('a store that rejects or throws has the same error', async () => {
    const cause = new Error('away');
    await expect(over(plain({ list: () => Promise.reject(cause) })).list('g', { limit: 1 })).rejects.toMatchObject({
      name: 'UnavailableError',
      cause,
    });
  });

  test.each(['', 'ä', '\n', 'n'.repeat(201)])(
    'after: %j cannot come from a page, and never reaches the store',
    async (after) => {
      const list = vi.fn<NonNullable<Store['list']>>();
      await expect(over(plain({ list })).list('g', { after, limit: 1 })).rejects.toBeInstanceOf(TypeError);
      expect(list).not.toHaveBeenCalled();
    },
  );
});
