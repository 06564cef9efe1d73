import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Answer } from '../../hosts.js';
import { type Fate, Line, type Node, Nodes, turns } from '../support/nodes.js';
import { refusal, type TokenSet } from '../support/tokens.js';

const KEY = generateKeyPairSync('ed25519').privateKey;
const INVALID_GRANT = [400, 'invalid_grant'] as const;
const FATES: readonly Fate[] = ['lost on its way there', 'carried out, and its answer lost', 'the last of a process'];
/** Longer than the grace window, and longer than its window with the difference of the clocks. */
const PAUSES = [12, 60];

const tokensOf = ({ json }: Answer): TokenSet => json as unknown as TokenSet; // A success of the token endpoint.

/** Two processes on one store; between one of them and the store is a line that can break. */
class Pair {
  readonly nodes: Nodes;
  readonly line: Line;
  readonly frail: Node;
  readonly other: Node;

  private constructor(nodes: Nodes, line: Line, frail: Node, other: Node) {
    this.nodes = nodes;
    this.line = line;
    this.frail = frail;
    this.other = other;
  }

  static async start(options: ConstructorParameters<typeof Nodes>[0] = {}): Promise<Pair> {
    const nodes = new Nodes(options);
    const line = new Line(nodes.shared.store);
    return new Pair(nodes, line, await nodes.start({ between: () => line.store }), await nodes.start());
  }

  /** The client's response if this call fails: none if the process stops. */
  async during(call: number, fate: Fate, act: () => Promise<Answer>): Promise<Answer | undefined> {
    this.line.watch(call, fate);
    const answer = act();
    if (fate !== 'the last of a process') {
      const heard = await answer;
      this.line.watch();
      return heard;
    }
    // A process that dies while it tidies up has given its answer to the network.
    return Promise.race([answer.catch(() => undefined), this.line.death.then(() => turns(100)).then(() => undefined)]);
  }

  /** What a process did before it died, the client takes to the other one. */
  next(fate: Fate): Node {
    return fate === 'the last of a process' ? this.other : this.frail;
  }
}

/** How many calls of the store this takes, those after the answer included. */
const callsOf = async (act: (pair: Pair) => Promise<() => Promise<Answer>>): Promise<number> => {
  const pair = await Pair.start();
  const run = await act(pair);
  pair.line.watch();
  await run();
  await turns(100);
  const { calls } = pair.line;
  await pair.nodes.close();
  return calls;
};

const refreshing = async ({ other, frail }: Pair) => {
  const { refresh_token } = await other.flows.tokens('native');
  return () => frail.flows.refresh('native', refresh_token);
};
const redeeming = async ({ other, frail }: Pair) => {
  const code = await other.flows.code('web');
  return () => frail.flows.redeem('web', code);
};
const polling = async ({ other, frail }: Pair) => {
  const codes = await other.flows.device('tv');
  await other.flows.decide(codes, 'approve');
  return () => frail.flows.poll('tv', codes.device_code);
};
const revoking =
  (kind: 'access_token' | 'refresh_token') =>
  async ({ other, frail }: Pair) => {
    const { refresh_token } = await other.flows.tokens('native');
    const token = (await other.flows.refreshed('native', refresh_token))[kind];
    return () => frail.flows.revoke('native', token);
  };

const steps = async (act: (pair: Pair) => Promise<() => Promise<Answer>>) => {
  const calls = await callsOf(act);
  return Array.from({ length: calls }, (_, n) => n + 1).flatMap((call) =>
    FATES.map((fate) => ({ call, fate }) as const),
  );
};

describe('a store call fails', async () => {
  let pair: Pair;

  describe.each(PAUSES)('and the store is unreachable for %i seconds', async (pause) => {
    test.each(await steps(refreshing))(
      '#69 #71 call $call of a refresh is $fate: the client repeats it and keeps its grant, with one chain',
      async ({ call, fate }) => {
        pair = await Pair.start();
        const { refresh_token } = await pair.other.flows.tokens('native');
        const heard = await pair.during(call, fate, () => pair.frail.flows.refresh('native', refresh_token));
        if (heard !== undefined && heard.status !== 200) {
          expect([heard.status, heard.headers['retry-after']]).toEqual([503, '5']);
        }
        // An answer that arrived is not repeated.
        if (heard?.status !== 200) pair.nodes.shared.advance(pause);
        const { flows } = pair.next(fate);
        const next = heard?.status === 200 ? tokensOf(heard) : await flows.refreshed('native', refresh_token);
        expect(next.expires_in).toBeGreaterThan(3600 - 90);
        expect(await pair.other.flows.areActive(next.access_token, next.refresh_token)).toEqual([true, true]);
        expect(pair.nodes.chains(refresh_token)).toBe(1);
        const last = await flows.refreshed('native', next.refresh_token);
        expect(pair.nodes.chains(refresh_token)).toBe(1);
        expect(refusal(await flows.refresh('native', refresh_token)), 'its successor was used').toEqual(INVALID_GRANT);
        expect(await pair.other.flows.areActive(last.access_token, last.refresh_token)).toEqual([false, false]);
      },
    );
  });

  test.each(await steps(redeeming))(
    '#65 call $call of a redemption is $fate: the code gives working tokens, or is invalid and leaves nothing',
    async ({ call, fate }) => {
      pair = await Pair.start();
      const code = await pair.other.flows.code('web');
      const heard = await pair.during(call, fate, () => pair.frail.flows.redeem('web', code));
      expect(heard?.status ?? 503).toBe(503);
      const again = await pair.next(fate).flows.redeem('web', code);
      if (again.status === 200) {
        const { access_token, refresh_token } = tokensOf(again);
        expect(await pair.other.flows.areActive(access_token, refresh_token)).toEqual([true, true]);
        expect(pair.nodes.chains(code)).toBe(1);
      } else {
        expect(refusal(again)).toEqual(INVALID_GRANT);
        expect(pair.nodes.chains(code)).toBe(0);
      }
    },
  );

  test.each(await steps(polling))(
    '#85 call $call of a poll after the approval is $fate: the device gets working tokens, or invalid_grant',
    async ({ call, fate }) => {
      pair = await Pair.start();
      const codes = await pair.other.flows.device('tv');
      await pair.other.flows.decide(codes, 'approve');
      const heard = await pair.during(call, fate, () => pair.frail.flows.poll('tv', codes.device_code));
      expect(heard?.status ?? 503).toBe(503);
      const again = await pair.next(fate).flows.poll('tv', codes.device_code);
      if (again.status === 200) {
        const { access_token, refresh_token } = tokensOf(again);
        expect(await pair.other.flows.areActive(access_token, refresh_token)).toEqual([true, true]);
        expect(pair.nodes.chains(access_token)).toBe(1);
      } else expect(refusal(again)).toEqual(INVALID_GRANT);
    },
  );

  test.each(['access_token', 'refresh_token'] as const)(
    '#97 any call of revoking an %s fails: a repeated revocation succeeds, and no repeated refresh restores it',
    async (kind) => {
      for (const { call, fate } of await steps(revoking(kind))) {
        pair = await Pair.start();
        const first = await pair.other.flows.tokens('native');
        const next = await pair.other.flows.refreshed('native', first.refresh_token);
        const heard = await pair.during(call, fate, () => pair.frail.flows.revoke('native', next[kind]));
        expect(heard?.status ?? 503).toBe(503);
        const { flows } = pair.next(fate);
        expect((await flows.revoke('native', next[kind])).status).toBe(200);
        expect(await flows.isActive(next[kind])).toBe(false);
        await flows.refresh('native', first.refresh_token);
        expect(await flows.isActive(next[kind])).toBe(false);
      }
    },
  );

  test('#70 an interrupted refresh of JWTs is repeated too, with the same jti', async () => {
    pair = await Pair.start({ jwt: [{ key: KEY }] });
    const { refresh_token } = await pair.other.flows.tokens('native');
    const heard = await pair.during(2, 'carried out, and its answer lost', () =>
      pair.frail.flows.refresh('native', refresh_token),
    );
    expect(heard?.status).toBe(503);
    pair.nodes.shared.advance(60);
    const one = await pair.frail.flows.refreshed('native', refresh_token);
    const two = await pair.other.flows.refreshed('native', refresh_token);
    expect(two.access_token).toBe(one.access_token);
    expect(await pair.other.flows.areActive(one.access_token, one.refresh_token)).toEqual([true, true]);
  });

  test('#70 a client that disconnects before the response may repeat its refresh after the grace window', async () => {
    pair = await Pair.start();
    const { refresh_token } = await pair.other.flows.tokens('native');
    await pair.during(3, 'the last of a process', () => pair.frail.flows.refresh('native', refresh_token));
    expect(pair.nodes.chainOf(refresh_token)).toMatchObject({ last: expect.any(String), done: null });
    pair.nodes.shared.advance(3 * 86_400);
    const next = await pair.other.flows.refreshed('native', refresh_token);
    expect(next.expires_in, 'the access token of then has ended: a new one').toBe(3600);
    expect(await pair.other.flows.areActive(next.access_token, next.refresh_token)).toEqual([true, true]);
    pair.nodes.shared.advance(10);
    expect(refusal(await pair.other.flows.refresh('native', refresh_token)), 'now it is finished').toEqual(
      INVALID_GRANT,
    );
  });

  test('#70 an interrupted refresh is repeated as it was; a different request is refused, and ends nothing', async () => {
    for (const [scope, expected] of [
      ['content.read profile', 200],
      ['profile', 400],
    ] as const) {
      pair = await Pair.start();
      const { refresh_token } = await pair.other.flows.tokens('native', { scope: 'profile content.read' });
      await pair.during(2, 'carried out, and its answer lost', () =>
        pair.frail.flows.refresh('native', refresh_token, { scope: 'profile content.read' }),
      );
      pair.nodes.shared.advance(60);
      const again = await pair.other.flows.refresh('native', refresh_token, { scope });
      expect(again.status).toBe(expected);
      expect(pair.nodes.chains(refresh_token)).toBe(1);
    }
  });

  test('#70 without a grace window nothing is repeated, and an interrupted refresh ends the grant', async () => {
    pair = await Pair.start({ lifetimes: { refreshGrace: 0 } });
    const { refresh_token } = await pair.other.flows.tokens('native');
    await pair.during(2, 'carried out, and its answer lost', () => pair.frail.flows.refresh('native', refresh_token));
    expect(refusal(await pair.frail.flows.refresh('native', refresh_token))).toEqual(INVALID_GRANT);
    expect(pair.nodes.chains(refresh_token)).toBe(0);
  });

  test('#97 a repeated refresh writes no access token that was revoked in between', async () => {
    pair = await Pair.start();
    const { refresh_token } = await pair.other.flows.tokens('native');
    await pair.during(3, 'the last of a process', () => pair.frail.flows.refresh('native', refresh_token));
    const { access_token } = await pair.other.flows.refreshed('native', refresh_token);
    await pair.other.flows.revoke('native', access_token);
    const chain = pair.nodes.chainOf(refresh_token);
    const [key = ''] = pair.nodes.keysOf('chain', refresh_token);
    const unmarked = { ...chain, done: null, rev: 'as-if-not-sent' };
    expect(await pair.nodes.shared.store.swap(key, chain?.rev ?? '', unmarked, (chain?.exp ?? 0) * 1000)).toBe(true);
    expect((await pair.other.flows.refreshed('native', refresh_token)).access_token).toBe(access_token);
    expect(await pair.other.flows.isActive(access_token)).toBe(false);
  });
});
