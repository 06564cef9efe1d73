import { afterEach, describe, expect, test } from 'vitest';
import type { Lifetimes } from '../../../src/core/oauth/facts/settings.js';
import type { Answer } from '../../hosts.js';
import { limitsOfTest } from '../support/limits.js';
import { type Node, Nodes } from '../support/nodes.js';
import { distantStore } from '../support/stores.js';
import type { Flows, TokenSet } from '../support/tokens.js';

// One race of each kind, over sockets: `test/orders` tries every order of two and of three requests.
const RACERS = 20;

const successes = (answers: readonly Answer[]): readonly TokenSet[] =>
  answers.filter(({ status }) => status === 200).map(({ json }) => json as unknown as TokenSet); // Successes of the token endpoint.

/** All other requests are rejected alike, and none failed. */
const expectLosers = (answers: readonly Answer[]): void => {
  const losers = answers.filter(({ status }) => status !== 200);
  expect(new Set(losers.map(({ status, json }) => `${status} ${String(json['error'])}`))).toEqual(
    new Set(['400 invalid_grant']),
  );
};

describe('twenty at once on three servers with a common store', () => {
  let running: readonly Node[] = [];
  const start = async (lifetimes: Partial<Lifetimes> = {}) => {
    limitsOfTest({ deviceRequests: 1000 });
    const nodes = new Nodes({ lifetimes });
    const store = distantStore(nodes.shared.store, 20);
    running = await Promise.all([1, 2, 3].map(() => nodes.start({ between: () => store })));
    const [first] = running.map(({ flows }) => flows);
    if (first === undefined) throw new Error('There is no node.');
    return {
      /** For all requests that are not part of a race. */
      first,
      accessTokens: ({ access_token }: TokenSet) => nodes.keysOf('token', access_token).length,
      /** The same request twenty times at once, spread over the nodes. */
      race: (request: (flows: Flows) => Promise<Answer>): Promise<readonly Answer[]> =>
        Promise.all(
          Array.from({ length: RACERS }, (_, racer) => request(running[racer % running.length]?.flows ?? first)),
        ),
    };
  };
  type Servers = Awaited<ReturnType<typeof start>>;
  afterEach(() => expect(running.flatMap(({ errors }) => errors)).toEqual([]));

  const redeem = async ({ first, race }: Servers) => {
    const code = await first.code('web');
    return race((flows) => flows.redeem('web', code));
  };
  const poll = async ({ first, race }: Servers) => {
    const codes = await first.device('tv');
    await first.decide(codes, 'approve');
    return race((flows) => flows.poll('tv', codes.device_code));
  };
  const refresh = async ({ first, race }: Servers) => {
    const { refresh_token } = await first.tokens('native');
    return race((flows) => flows.refresh('native', refresh_token));
  };

  test('#61 one redemption of a code is 200, the others 400 invalid_grant; as replays they revoke the grant', async () => {
    const nodes = await start();
    const answers = await redeem(nodes);
    const winners = successes(answers);
    expect(winners).toHaveLength(1);
    expectLosers(answers);
    for (const winner of winners) {
      expect(await nodes.first.areActive(winner.access_token, winner.refresh_token)).toEqual([false, false]);
    }
  });

  test('#61 with codeReplayTolerance, one redemption is 200 and leaves exactly one live chain', async () => {
    const nodes = await start({ codeReplayTolerance: 5 });
    const answers = await redeem(nodes);
    const winners = successes(answers);
    expect(winners).toHaveLength(1);
    expectLosers(answers);
    for (const winner of winners) {
      await expect.poll(() => nodes.accessTokens(winner), { message: 'those of the others are deleted' }).toBe(1);
      const next = await nodes.first.refreshed('web', winner.refresh_token);
      expect(await nodes.first.areActive(winner.refresh_token, next.refresh_token)).toEqual([false, true]);
    }
  });

  test('#85 one poll of an approved device code is 200, the others 400 invalid_grant, and exactly one chain is live', async () => {
    const nodes = await start();
    const answers = await poll(nodes);
    const winners = successes(answers);
    expect(winners).toHaveLength(1);
    expectLosers(answers);
    for (const winner of winners) {
      await expect.poll(() => nodes.accessTokens(winner), { message: 'those of the others are deleted' }).toBe(1);
      expect(await nodes.first.isActive(winner.refresh_token)).toBe(true);
    }
  });

  test('#83 of the polls of an undecided device, at most one is in time', async () => {
    const nodes = await start();
    const { device_code } = await nodes.first.device('tv');
    // At another process it would be in time all the same: their clocks may differ.
    const answers = await Promise.all(Array.from({ length: RACERS }, () => nodes.first.poll('tv', device_code)));
    const pending = answers.filter(({ json }) => json['error'] === 'authorization_pending');
    const early = answers.filter(({ json }) => json['error'] === 'slow_down');
    expect([pending.length, early.length]).toEqual([1, RACERS - 1]);
  });

  test('#71 concurrent refreshes with one token get the same successor, and exactly one chain is live', async () => {
    const nodes = await start();
    const answers = await refresh(nodes);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    for (const successor of successes(answers).slice(0, 1)) {
      await expect.poll(() => nodes.accessTokens(successor), { message: 'the first one, and the next' }).toBe(2);
      expect(await nodes.first.isActive(successor.refresh_token)).toBe(true);
    }
  });

  test('#71 without a grace window, one refresh is 200, and only those who read a used token revoke the grant', async () => {
    const nodes = await start({ refreshGrace: 0 });
    const answers = await refresh(nodes);
    const winners = successes(answers);
    expect(winners).toHaveLength(1);
    const isReplayed = answers.some(({ status }) => status === 400);
    for (const { status, json } of answers)
      if (status !== 200)
        expect([`400 invalid_grant`, '503 temporarily_unavailable']).toContain(`${status} ${String(json['error'])}`);
    for (const winner of winners) expect(await nodes.first.isActive(winner.refresh_token)).toBe(!isReplayed);
  });
});
