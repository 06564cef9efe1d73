import { instrumentedStore, type StoreCall } from 'oauth-query/stores/instrument';
import { memoryStore } from 'oauth-query/stores/memory';
import { storeContract } from 'oauth-query/testing';
import { describe, expect, test, vi } from 'vitest';

describe('an instrumented store', () => {
  for (const { name, run } of storeContract(
    () => ({ open: (clock) => instrumentedStore(memoryStore({ clock }), () => undefined) }),
    { shared: false, offers: ['getMany', 'list'] },
  )) {
    test(name, run);
  }

  test('reports each method with its duration', async () => {
    let time = 0;
    const calls: StoreCall[] = [];
    const slow = memoryStore();
    const store = instrumentedStore(
      {
        add: (...args) => ((time += 5), slow.add(...args)),
        swap: (...args) => ((time += 4), slow.swap(...args)),
        get: (...args) => ((time += 2.5), slow.get(...args)),
        delete: (...args) => ((time += 1), slow.delete(...args)),
      },
      (call) => calls.push(call),
      { now: () => time },
    );
    await store.add('a', { rev: '1' }, Date.now() + 1_000);
    expect(await store.swap('a', '1', { rev: '2' }, Date.now() + 1_000)).toBe(true);
    await store.get('a');
    await store.delete('a');
    expect(calls).toEqual([
      { verb: 'add', duration: 5 },
      { verb: 'swap', duration: 4 },
      { verb: 'get', duration: 2.5 },
      { verb: 'delete', duration: 1 },
    ]);
  });

  test('reports getMany and list, which it has if the store has them, and passes groups on', async () => {
    const report = vi.fn();
    const store = memoryStore();
    const measured = instrumentedStore(store, report, { now: () => 0 });
    await measured.add('a', { is: 'there' }, Date.now() + 60_000, ['g']);
    expect(await measured.getMany?.(['b', 'a'])).toEqual([undefined, { is: 'there' }]);
    expect(await measured.list?.('g', { limit: 1 })).toEqual({ keys: ['a'] });
    expect(report.mock.calls).toEqual(['add', 'getMany', 'list'].map((verb) => [{ verb, duration: 0 }]));
    const { add, swap, get, delete: remove } = store;
    const plain = instrumentedStore({ add, swap, get, delete: remove }, report);
    for (const verb of ['getMany', 'list']) expect(plain).not.toHaveProperty(verb);
  });

  test('reports the error of a rejected call, and rejects with it', async () => {
    const error = new Error('away');
    const away = () => Promise.reject(error);
    const report = vi.fn();
    const store = instrumentedStore({ add: away, swap: away, get: away, delete: away }, report, { now: () => 0 });
    await expect(store.add('a', {}, 1)).rejects.toBe(error);
    await expect(store.swap('a', '1', { rev: '2' }, 1)).rejects.toBe(error);
    await expect(store.get('a')).rejects.toBe(error);
    await expect(store.delete('a')).rejects.toBe(error);
    expect(report.mock.calls).toEqual([
      [{ verb: 'add', duration: 0, error }],
      [{ verb: 'swap', duration: 0, error }],
      [{ verb: 'get', duration: 0, error }],
      [{ verb: 'delete', duration: 0, error }],
    ]);
  });

  test('a report function that throws breaks nothing, and is called once', async () => {
    const report = vi.fn(() => {
      throw new Error('no disk for the log');
    });
    const store = instrumentedStore(memoryStore(), report);
    expect(await store.add('a', { is: 'there' }, Date.now() + 1_000)).toBe(true);
    expect(await store.get('a')).toEqual({ is: 'there' });
    // By default it measures real time.
    expect(report.mock.calls).toEqual(['add', 'get'].map((verb) => [{ verb, duration: expect.any(Number) }]));
  });
});
