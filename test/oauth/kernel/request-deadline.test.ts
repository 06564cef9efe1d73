import { describe, expect, test } from 'vitest';
import type { Store } from '../../../src/core/base/ports.js';
import { type Answer, oneHostEach } from '../../hosts.js';
import { Browser } from '../support/browser.js';
import { Deadlines, fixture } from '../support/fixture.js';
import { Nodes, turns } from '../support/nodes.js';
import { Flows, refusal } from '../support/tokens.js';

/** A store that answers each call, or each write, but never in time for a request that needs it while it is slow. */
const slowStore = (store: Store, isSlowAtReading = true) => {
  const held: (() => void)[] = [];
  const state = { isSlow: false, held, release: () => held.splice(0).forEach((answer) => answer()) };
  const wait = async (): Promise<void> => {
    if (state.isSlow) await new Promise<void>((resolve) => held.push(resolve));
  };
  const slow: Store = {
    add: async (...record) => await store.add(...record).then(async (added) => (await wait(), added)),
    swap: async (...record) => await store.swap(...record).then(async (swapped) => (await wait(), swapped)),
    get: async (key) => (isSlowAtReading && (await wait()), store.get(key)),
    delete: async (key) => (await wait(), store.delete(key)),
  };
  return { state, slow };
};

describe('runtime.timer', () => {
  test('limits requests and functions of the application, and is cancelled when they have ended', async () => {
    const running = new Map<() => void, number>();
    const timer = (run: () => void, milliseconds: number): (() => void) => {
      running.set(run, milliseconds);
      return () => void running.delete(run);
    };
    const silence = new Promise<never>(() => undefined);
    const { options, errors } = fixture({ runtime: { timer }, validateGrant: () => silence });
    const [host] = oneHostEach;
    const flows = new Flows(await host.start({ options }));
    await flows.ownTokens();
    expect(running.size).toBe(0);
    const redeemed = flows.redeem('web', await flows.code('web'));
    await expect.poll(() => new Set(running.values())).toEqual(new Set([5000, 8000]));
    for (const [run, milliseconds] of running) {
      if (milliseconds !== 5000) continue;
      running.delete(run);
      run();
    }
    expect(refusal(await redeemed)).toEqual([503, 'temporarily_unavailable']);
    await turns(5);
    expect(running.size).toBe(0);
    expect(errors.map(String)).toEqual([expect.stringContaining('options.validateGrant')]);
  });
});

describe('options.timeout', () => {
  let nodes: Nodes;
  const deadlines = new Deadlines();
  type State = ReturnType<typeof slowStore>['state'];

  /** Sends a request, whose deadline passes while the store answers. */
  const late = async (state: State, send: () => Promise<Answer>): Promise<Answer> => {
    const before = state.held.length;
    const answer = send();
    await expect.poll(() => state.held.length).toBeGreaterThan(before);
    deadlines.pass();
    return answer;
  };

  test('#13 a request that takes longer is 503 with Retry-After: at the endpoints, at the guard and on a page', async () => {
    nodes = new Nodes({ lifetimes: { rememberedConsent: 600 }, runtime: { timer: deadlines.timer } });
    const { state, slow } = slowStore(nodes.shared.store);
    const { flows, host, errors } = await nodes.start({ between: () => slow });
    const other = await nodes.start();
    const { access_token } = await other.flows.tokens('web');
    const codes = await other.flows.device('tv');
    const browser = new Browser(host);
    const page = await browser.device();
    state.isSlow = true;
    for (const answer of [
      await late(state, () => flows.token('service', { grant_type: 'client_credentials' })),
      await late(state, () => flows.guarded('profile', access_token)),
    ])
      expect([answer.status, answer.headers['retry-after']]).toEqual([503, '5']);
    const answer = await late(state, () => browser.submit(page, { user_code: codes.user_code }));
    expect([answer.status, answer.headers['content-type'], answer.headers['retry-after']]).toEqual([
      503,
      'text/html; charset=utf-8',
      '5',
    ]);
    expect(errors.splice(0).map(String)).toEqual(
      Array.from({ length: 3 }, () => expect.stringContaining('8000 ms (options.timeout)')),
    );
    state.isSlow = false;
    state.release();
  });

  test('#70 a refresh that finished too late for its response can be repeated after the grace window', async () => {
    nodes = new Nodes({ runtime: { timer: deadlines.timer } });
    const { state, slow } = slowStore(nodes.shared.store, false);
    const { flows } = await nodes.start({ between: () => slow });
    const other = await nodes.start();
    const { refresh_token } = await other.flows.tokens('native');
    state.isSlow = true;
    expect((await late(state, () => flows.refresh('native', refresh_token))).status).toBe(503);
    state.isSlow = false;
    state.release();
    await turns(50);
    expect(nodes.chainOf(refresh_token)).toMatchObject({ last: expect.any(String), done: null });
    nodes.shared.advance(60);
    const next = await other.flows.refreshed('native', refresh_token);
    expect(await other.flows.areActive(next.access_token, next.refresh_token)).toEqual([true, true]);
  });
});
