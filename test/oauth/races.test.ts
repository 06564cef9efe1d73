import { afterEach, describe, expect, test } from 'vitest';
import type { Store } from '../../src/core/base/ports.js';
import type { Lifetimes } from '../../src/core/oauth/settings.js';
import { type Answer, everyHost, type FrameworkName, type RunningHost } from '../hosts.js';
import { fixture } from './support/fixture.js';
import { limitsOfTest } from './support/limits.js';
import { grantPart } from './support/nodes.js';
import { distantStore, racyStore } from './support/stores.js';
import { Flows, type TokenSet } from './support/tokens.js';

/** Races of each kind; `RACES=200` takes half a minute. */
const ROUNDS = Number(process.env['RACES'] ?? 10);
const RACERS = 20;

/** All nodes are one server to clients. */
const ISSUER = 'http://127.0.0.1';

/** One server of each framework, all on one store. */
class Nodes {
  readonly flows: readonly Flows[];
  readonly #entries: () => Iterable<readonly [string, object]>;
  readonly errors: readonly unknown[];

  private constructor(
    nodes: readonly RunningHost[],
    entries: () => Iterable<readonly [string, object]>,
    errors: readonly unknown[],
  ) {
    this.flows = nodes.map((node) => new Flows(node));
    this.#entries = entries;
    this.errors = errors;
  }

  static async start(lifetimes: Partial<Lifetimes>, change: (store: Store) => Store): Promise<Nodes> {
    limitsOfTest({ deviceRequests: 1000 });
    const { options, store, errors } = fixture({ lifetimes });
    const shared = change(store);
    const start = (framework: FrameworkName) =>
      everyHost
        .find((host) => host.framework === framework && host.mount === 'bare')
        ?.start({ options: { ...options, store: shared, issuer: ISSUER } });
    const nodes = (await Promise.all([start('express5'), start('koa3'), start('fastify5')])).filter(
      (node) => node !== undefined,
    );
    return new Nodes(nodes, () => store.entries(), errors);
  }

  /** The node for all requests that are not part of a race. */
  get first(): Flows {
    const [first] = this.flows;
    if (first === undefined) throw new Error('There is no node.');
    return first;
  }

  /** The same request twenty times at once, spread over the nodes. */
  race(request: (flows: Flows) => Promise<Answer>): Promise<readonly Answer[]> {
    return Promise.all(
      Array.from({ length: RACERS }, (_, racer) => request(this.flows[racer % this.flows.length] ?? this.first)),
    );
  }

  /** The access tokens of a grant in the store. */
  accessTokens({ access_token }: Pick<TokenSet, 'access_token'>): number {
    const part = `:token:${grantPart(access_token)}`;
    return [...this.#entries()].filter(([key]) => key.includes(part)).length;
  }
}

const successes = (answers: readonly Answer[]): readonly TokenSet[] =>
  answers.filter(({ status }) => status === 200).map(({ json }) => json as unknown as TokenSet); // Successes of the token endpoint.

/** All other requests are rejected alike, and none failed. */
const expectLosers = (answers: readonly Answer[]): void => {
  const losers = answers.filter(({ status }) => status !== 200);
  expect(new Set(losers.map(({ status, json }) => `${status} ${String(json['error'])}`))).toEqual(
    new Set(['400 invalid_grant']),
  );
};

const approvedDevice = async (flows: Flows): Promise<string> => {
  const codes = await flows.device('tv');
  await flows.decide(codes, 'approve');
  return codes.device_code;
};

const RACES = {
  code: async ({ first }: Nodes) => {
    const code = await first.code('web');
    return (flows: Flows) => flows.redeem('web', code);
  },
  'device code': async ({ first }: Nodes) => {
    const code = await approvedDevice(first);
    return (flows: Flows) => flows.poll('tv', code);
  },
  'refresh token': async ({ first }: Nodes) => {
    const { refresh_token } = await first.tokens('native');
    return (flows: Flows) => flows.refresh('native', refresh_token);
  },
} as const;

describe('twenty at once on three servers with a common store', () => {
  let running: Nodes | undefined;
  const start = async (
    lifetimes: Partial<Lifetimes> = {},
    change = (store: Store) => distantStore(store, 20),
  ): Promise<Nodes> => {
    running = await Nodes.start(lifetimes, change);
    return running;
  };
  afterEach(() => expect(running?.errors).toEqual([]));

  test('#61 one redemption of a code is 200, the others 400 invalid_grant; as replays they revoke the grant', async () => {
    const nodes = await start();
    for (let round = 0; round < ROUNDS; round += 1) {
      const answers = await nodes.race(await RACES.code(nodes));
      const winners = successes(answers);
      expect(winners).toHaveLength(1);
      expectLosers(answers);
      for (const winner of winners) {
        expect(await nodes.first.areActive(winner.access_token, winner.refresh_token)).toEqual([false, false]);
      }
    }
  });

  test('#61 with codeReplayTolerance, one redemption is 200 and leaves exactly one live chain', async () => {
    const nodes = await start({ codeReplayTolerance: 5 });
    for (let round = 0; round < ROUNDS; round += 1) {
      const answers = await nodes.race(await RACES.code(nodes));
      const winners = successes(answers);
      expect(winners).toHaveLength(1);
      expectLosers(answers);
      for (const winner of winners) {
        await expect.poll(() => nodes.accessTokens(winner), { message: 'those of the others are deleted' }).toBe(1);
        const next = await nodes.first.refreshed('web', winner.refresh_token);
        expect(await nodes.first.areActive(winner.refresh_token, next.refresh_token)).toEqual([false, true]);
      }
    }
  });

  test('#85 one poll of an approved device code is 200, the others 400 invalid_grant, and exactly one chain is live', async () => {
    const nodes = await start();
    for (let round = 0; round < ROUNDS; round += 1) {
      const answers = await nodes.race(await RACES['device code'](nodes));
      const winners = successes(answers);
      expect(winners).toHaveLength(1);
      expectLosers(answers);
      for (const winner of winners) {
        await expect.poll(() => nodes.accessTokens(winner), { message: 'those of the others are deleted' }).toBe(1);
        expect(await nodes.first.isActive(winner.refresh_token)).toBe(true);
      }
    }
  });

  test('#83 of the polls of an undecided device, at most one is in time', async () => {
    const nodes = await start();
    for (let round = 0; round < ROUNDS; round += 1) {
      const { device_code } = await nodes.first.device('tv');
      // At another process it would be in time all the same: their clocks may differ.
      const answers = await Promise.all(Array.from({ length: RACERS }, () => nodes.first.poll('tv', device_code)));
      const pending = answers.filter(({ json }) => json['error'] === 'authorization_pending');
      const early = answers.filter(({ json }) => json['error'] === 'slow_down');
      expect([pending.length, early.length]).toEqual([1, RACERS - 1]);
    }
  });

  test('#71 concurrent refreshes with one token get the same successor, and exactly one chain is live', async () => {
    const nodes = await start();
    for (let round = 0; round < ROUNDS; round += 1) {
      const answers = await nodes.race(await RACES['refresh token'](nodes));
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      for (const successor of successes(answers).slice(0, 1)) {
        await expect.poll(() => nodes.accessTokens(successor), { message: 'the first one, and the next' }).toBe(2);
        expect(await nodes.first.isActive(successor.refresh_token)).toBe(true);
      }
    }
  });

  test('#71 without a grace window, one refresh is 200, and only those who read a used token revoke the grant', async () => {
    const nodes = await start({ refreshGrace: 0 });
    for (let round = 0; round < ROUNDS; round += 1) {
      const answers = await nodes.race(await RACES['refresh token'](nodes));
      const winners = successes(answers);
      expect(winners).toHaveLength(1);
      const isReplayed = answers.some(({ status }) => status === 400);
      for (const { status, json } of answers)
        if (status !== 200)
          expect([`400 invalid_grant`, '503 temporarily_unavailable']).toContain(`${status} ${String(json['error'])}`);
      for (const winner of winners) expect(await nodes.first.isActive(winner.refresh_token)).toBe(!isReplayed);
    }
  });
});

describe('on a store whose add reads before it writes', () => {
  test.each(Object.entries(RACES))(
    '#61 a %s is used more than once, so these tests can fail',
    async (_name, prepare) => {
      const nodes = await Nodes.start({ codeReplayTolerance: 5, refreshGrace: 0 }, (store) =>
        distantStore(racyStore(store), 20),
      );
      const winners: number[] = [];
      for (let round = 0; round < 10; round += 1)
        winners.push(successes(await nodes.race(await prepare(nodes))).length);
      expect(Math.max(...winners)).toBeGreaterThan(1);
    },
  );
});
