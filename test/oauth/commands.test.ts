import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Store } from '../../src/core/base/ports.js';
import { type Node, Nodes, turns } from './support/nodes.js';
import { isTidyUp } from './support/stores.js';
import { DEVICE_CODE } from './support/fixture.js';

/** Counts commands, and answers all that are under way together: so many answers, so many are awaited one after another. */
class Meter {
  readonly store: Store;
  commands = 0;
  rounds = 0;
  #waiting: (() => void)[] = [];

  constructor(store: Store) {
    const { getMany, list } = store;
    if (getMany === undefined || list === undefined) throw new Error('This is about stores with getMany and list.');
    this.store = {
      add: (key, ...rest) => (isTidyUp(key) ? store.add(key, ...rest) : this.#count(() => store.add(key, ...rest))),
      get: (key) => this.#count(() => store.get(key)),
      delete: (key) => (isTidyUp(key) ? store.delete(key) : this.#count(() => store.delete(key))),
      getMany: (keys) => this.#count(() => getMany(keys)),
      list: (group, page) => this.#count(() => list(group, page)),
    };
  }

  async measure(act: () => Promise<unknown>): Promise<readonly [commands: number, inARow: number]> {
    this.commands = 0;
    this.rounds = 0;
    await act();
    return [this.commands, this.rounds];
  }

  async #count<T>(work: () => Promise<T>): Promise<T> {
    this.commands += 1;
    const isFirst = this.#waiting.length === 0;
    const answer = new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (isFirst) void this.#answerAll();
    await answer;
    return work();
  }

  async #answerAll(): Promise<void> {
    await turns(3); // Whatever is asked for without waiting has been asked for by then.
    this.rounds += 1;
    for (const answer of this.#waiting.splice(0)) answer();
  }
}

describe('store commands with getMany and list, and how many are awaited in sequence', () => {
  const nodes = new Nodes();
  const meter = new Meter(nodes.shared.store);
  let node: Node;
  let plain: Node;
  beforeAll(async () => {
    node = await nodes.start({ between: () => meter.store });
    plain = await nodes.start();
  });
  afterAll(() => nodes.close());

  test("a client's own token: 1", async () => {
    const act = () => node.flows.token('service', { grant_type: 'client_credentials' });
    expect(await meter.measure(act)).toEqual([1, 1]);
  });

  test("the guard of an owner's token: 1", async () => {
    const { access_token } = await plain.flows.tokens('web');
    expect(await meter.measure(() => node.flows.guarded('profile', access_token))).toEqual([1, 1]);
  });

  test("the guard of an owner's token, on a store without getMany: 2 in parallel", async () => {
    const single = new Meter(nodes.shared.store);
    const { getMany: _, ...store } = single.store;
    const { flows } = await nodes.start({ between: () => store });
    const { access_token } = await plain.flows.tokens('web');
    expect(await single.measure(() => flows.guarded('profile', access_token))).toEqual([2, 1]);
  });

  test('a code: 3, 2 in a row', async () => {
    const code = await plain.flows.code('web');
    expect(await meter.measure(() => node.flows.redeem('web', code))).toEqual([3, 2]);
  });

  test('a refresh: 3, 2 in a row; two marks are written after the response, the second one once an hour', async () => {
    const { refresh_token } = await plain.flows.tokens('native');
    expect(await meter.measure(() => node.flows.refresh('native', refresh_token))).toEqual([3, 2]);
    await expect.poll(() => nodes.keysOf('done', refresh_token)).toHaveLength(1);
    await expect.poll(() => nodes.keysOf('refreshed', refresh_token)).toHaveLength(1);
  });

  test('of the marks written after responses, a chain keeps the last one', async () => {
    const first = await plain.flows.tokens('native');
    const second = await plain.flows.refreshed('native', first.refresh_token);
    await plain.flows.refreshed('native', second.refresh_token);
    await expect.poll(() => nodes.keysOf('done', first.refresh_token)).toEqual([expect.stringMatching(/:2$/)]);
  });

  test('a revocation: an access token 3, a refresh token 2', async () => {
    const { access_token, refresh_token } = await plain.flows.tokens('web');
    expect(await meter.measure(() => node.flows.revoke('web', access_token))).toEqual([3, 3]);
    expect(await meter.measure(() => node.flows.revoke('web', refresh_token))).toEqual([2, 2]);
  });

  test('a poll: pending 3, 2 in a row; early 5, 3 in a row; approved 5, 3 in a row', async () => {
    const codes = await plain.flows.device('tv');
    const poll = () => node.flows.token('tv', { grant_type: DEVICE_CODE, device_code: codes.device_code });
    expect(await meter.measure(poll)).toEqual([3, 2]);
    expect(await meter.measure(poll)).toEqual([5, 3]);
    await plain.flows.decide(codes, 'approve');
    expect(await meter.measure(poll)).toEqual([5, 3]);
  });

  test('a page of 50 grants: 2, 2 in a row', async () => {
    await Promise.all(Array.from({ length: 60 }, () => plain.flows.tokens('web', {}, 'bob')));
    const pages: unknown[] = [];
    const act = async () => pages.push(...(await node.host.grants.list({ sub: 'bob' })).grants);
    expect(await meter.measure(act)).toEqual([2, 2]);
    expect(pages).toHaveLength(50);
  });
});
