import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Store } from '../../../src/core/base/ports.js';
import { basic } from '../../hosts.js';
import { Browser, locationOf } from '../support/browser.js';
import { DEVICE_CODE, KEEPER } from '../support/fixture.js';
import { type Node, Nodes, turns } from '../support/nodes.js';
import { isTidyUp } from '../support/stores.js';
import { Flows } from '../support/tokens.js';

/** Counts commands, and answers all that are under way together: so many answers, so many are awaited one after another. */
class Meter {
  readonly store: Store;
  commands = 0;
  rounds = 0;
  /** Commands after a response. */
  after = 0;
  #waiting: (() => void)[] = [];

  constructor(store: Store) {
    const { getMany, list } = store;
    if (getMany === undefined || list === undefined) throw new Error('This is about stores with getMany and list.');
    this.store = {
      add: (...record) => this.#count(() => store.add(...record)),
      swap: (...record) => {
        if (!isTidyUp(record[2])) return this.#count(() => store.swap(...record));
        this.after += 1;
        return store.swap(...record);
      },
      get: (key) => this.#count(() => store.get(key)),
      delete: (key) => this.#count(() => store.delete(key)),
      getMany: (keys) => this.#count(() => getMany(keys)),
      list: (group, page) => this.#count(() => list(group, page)),
    };
  }

  async measure(act: () => Promise<unknown>): Promise<readonly [commands: number, inARow: number]> {
    this.commands = 0;
    this.rounds = 0;
    this.after = 0;
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

  test("the guard of an owner's token, on a store without getMany: 3 in parallel", async () => {
    const single = new Meter(nodes.shared.store);
    const { getMany: _, ...store } = single.store;
    const { flows } = await nodes.start({ between: () => store });
    const { access_token } = await plain.flows.tokens('web');
    expect(await single.measure(() => flows.guarded('profile', access_token))).toEqual([3, 1]);
  });

  test('a code: 3, 2 in a row', async () => {
    const code = await plain.flows.code('web');
    expect(await meter.measure(() => node.flows.redeem('web', code))).toEqual([3, 2]);
  });

  test('a refresh: 3, 2 in a row, and one after the response; its repetition within the grace window: 1', async () => {
    const { refresh_token } = await plain.flows.tokens('native');
    const refresh = () => node.flows.refresh('native', refresh_token);
    expect(await meter.measure(refresh)).toEqual([3, 2]);
    await expect.poll(() => meter.after).toBe(1);
    await expect.poll(() => nodes.chainOf(refresh_token)?.done).toEqual(expect.any(String));
    expect(await meter.measure(refresh)).toEqual([1, 1]);
    expect(meter.after).toBe(0);
  });

  test('a refresh without a grace window: 3, 2 in a row, and none after the response', async () => {
    const options = { lifetimes: { refreshGrace: 0 } };
    const { flows } = await nodes.start({ between: () => meter.store, options });
    const first = await plain.flows.tokens('native');
    const twice = async () => {
      const { json } = await flows.refresh('native', first.refresh_token);
      await flows.refresh('native', String(json['refresh_token']));
    };
    // What would follow the first response has followed it when the second one is there.
    expect(await meter.measure(twice)).toEqual([6, 4]);
    expect(meter.after).toBe(0);
  });

  test('a refresh with a token that is not rotated: 2, 2 in a row, and once an hour one after the response', async () => {
    const keeper = await nodes.start({ between: () => meter.store, options: { clients: [KEEPER] } });
    const flows = new Flows(keeper.host, [KEEPER]);
    const { refresh_token } = await flows.tokens('keeper');
    const refresh = () => flows.refresh('keeper', refresh_token);
    expect(await meter.measure(refresh)).toEqual([2, 2]);
    await expect.poll(() => meter.after).toBe(1);
    expect(await meter.measure(refresh)).toEqual([2, 2]);
    nodes.shared.advance(3600);
    await meter.measure(refresh);
    await expect.poll(() => meter.after).toBe(1);
  });

  test('a revocation: an access token 3, a refresh token 4, 3 in a row', async () => {
    const { access_token, refresh_token } = await plain.flows.tokens('web');
    expect(await meter.measure(() => node.flows.revoke('web', access_token))).toEqual([3, 3]);
    expect(await meter.measure(() => node.flows.revoke('web', refresh_token))).toEqual([4, 3]);
  });

  test('a poll: pending or early 2, 2 in a row; at the longest interval 1; approved 4, 3 in a row', async () => {
    const codes = await plain.flows.device('tv');
    const poll = () => node.flows.token('tv', { grant_type: DEVICE_CODE, device_code: codes.device_code });
    expect(await meter.measure(poll), 'the first').toEqual([2, 2]);
    for (let n = 0; n < 11; n += 1) expect(await meter.measure(poll), 'early').toEqual([2, 2]);
    expect(await meter.measure(poll), 'at the longest interval').toEqual([1, 1]);
    nodes.shared.advance(60);
    expect(await meter.measure(poll), 'in time').toEqual([2, 2]);
    await plain.flows.decide(codes, 'approve');
    expect(await meter.measure(poll)).toEqual([4, 3]);
  });

  test('the code of a device 10, 5 in a row; the decision: to approve it 6, 4 in a row, to deny it 3, 2 in a row', async () => {
    const browser = node.flows.browser();
    const page = await browser.signIn(await browser.open('/oauth/device'));
    const decide = async (decision: string) => {
      const { user_code } = await plain.flows.device('tv');
      let question = page;
      const entered = await meter.measure(async () => (question = await browser.submit(page, { user_code })));
      return [entered, await meter.measure(() => browser.submit(question, { decision }))];
    };
    const [entered, approved] = await decide('approve');
    expect([entered, approved]).toEqual([
      [10, 5],
      [6, 4],
    ]);
    expect((await decide('deny'))[1]).toEqual([3, 2]);
  });

  test('an owner signed out: 2, 2 in a row', async () => {
    for (let n = 0; n < 2; n += 1) expect(await meter.measure(() => node.host.owners.signOut('alice'))).toEqual([2, 2]);
  });

  test('a wrong secret: at most 3, on a process with and without a count', async () => {
    const other = await nodes.start({ between: () => meter.store });
    for (let n = 0; n < 12; n += 1) {
      const { client } = (n < 6 ? node : other).flows;
      const ask = () => client.post('/oauth/token', { grant_type: 'client_credentials' }, basic('service', 'x'));
      const [commands] = await meter.measure(async () => expect((await ask()).status).toBe(n < 10 ? 401 : 429));
      expect(commands).toBeLessThanOrEqual(3);
    }
  });

  test('a page of a signed-in owner, with whether the session has ended: 1', async () => {
    const browser = node.flows.browser();
    expect(await meter.measure(() => browser.open('/oauth/device'))).toEqual([1, 1]);
  });

  test('a remembered approval that replaces an older one, and the next one: at most 4 in a row', async () => {
    const { host } = await nodes.start({
      between: () => meter.store,
      options: { lifetimes: { rememberedConsent: 3600 } },
    });
    const browser = new Browser(host);
    const request = { response_type: 'code', client_id: 'web', scope: 'profile' };
    await browser.authorizeFor(request);
    const wider = { ...request, scope: 'profile content.read' };
    const page = await browser.authorize(wider);
    for (const act of [() => browser.submit(page, { decision: 'approve' }), () => browser.authorize(wider)]) {
      const [, inARow] = await meter.measure(async () => expect(locationOf(await act())).toContain('code='));
      expect(inARow).toBeLessThanOrEqual(4);
    }
  });

  test('a page of 50 grants: 2, 2 in a row', async () => {
    await Promise.all(Array.from({ length: 60 }, () => plain.flows.tokens('web', {}, 'bob')));
    const pages: unknown[] = [];
    const act = async () => pages.push(...(await node.host.grants.list({ sub: 'bob' })).grants);
    expect(await meter.measure(act)).toEqual([2, 2]);
    expect(pages).toHaveLength(50);
  });
});
