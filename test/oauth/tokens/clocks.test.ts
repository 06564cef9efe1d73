import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type Node, Nodes } from '../support/nodes.js';
import { refusal } from '../support/tokens.js';

const INVALID_GRANT = [400, 'invalid_grant'] as const;
const DIFFERENCE = 30_000;
const KEY = generateKeyPairSync('ed25519').privateKey;

describe('processes whose clocks are 30 seconds apart', () => {
  let nodes: Nodes;
  const start = async (options: ConstructorParameters<typeof Nodes>[0] = {}): Promise<readonly [Node, Node]> => {
    nodes = new Nodes(options);
    return [await nodes.start(), await nodes.start({ ahead: DIFFERENCE })];
  };

  test('#70 a refresh is repeated at the other process within the grace window, in both directions', async () => {
    const [slow, fast] = await start();
    for (const [first, second] of [
      [slow, fast],
      [fast, slow],
    ] as const) {
      const { refresh_token } = await slow.flows.tokens('native');
      const next = await first.flows.refreshed('native', refresh_token);
      nodes.shared.advance(9);
      expect(await second.flows.refreshed('native', refresh_token)).toEqual(next);
      const last = await second.flows.refreshed('native', next.refresh_token);
      expect(await slow.flows.areActive(last.access_token, last.refresh_token)).toEqual([true, true]);
      nodes.shared.advance(71);
      expect(refusal(await second.flows.refresh('native', refresh_token))).toEqual(INVALID_GRANT);
      expect(await slow.flows.isActive(last.access_token)).toBe(false);
    }
  });

  test('#69 on its own process the window is not longer than configured', async () => {
    const [, fast] = await start();
    const { refresh_token } = await fast.flows.tokens('native');
    await fast.flows.refreshed('native', refresh_token);
    nodes.shared.advance(10);
    expect(refusal(await fast.flows.refresh('native', refresh_token))).toEqual(INVALID_GRANT);
  });

  test('#35 a code of 60 seconds is valid for 30 at the process that is ahead', async () => {
    const [slow, fast] = await start();
    const early = await slow.flows.code('web');
    const late = await slow.flows.code('web');
    nodes.shared.advance(29);
    expect((await fast.flows.redeem('web', early)).status).toBe(200);
    nodes.shared.advance(1);
    expect(refusal(await fast.flows.redeem('web', late))).toEqual(INVALID_GRANT);
    expect((await slow.flows.redeem('web', late)).status).toBe(200);
  });

  test('#59 a code that the process ahead redeemed is a replay at the other one, and ends the grant', async () => {
    const [slow, fast] = await start();
    const code = await slow.flows.code('web');
    const { access_token } = (await fast.flows.redeem('web', code)).json;
    expect(refusal(await slow.flows.redeem('web', code))).toEqual(INVALID_GRANT);
    expect(await slow.flows.isActive(String(access_token))).toBe(false);
  });

  test('#85 a device approved at one process gets its tokens at the other one', async () => {
    const [slow, fast] = await start();
    for (const [first, second] of [
      [slow, fast],
      [fast, slow],
    ] as const) {
      const codes = await first.flows.device('tv');
      nodes.shared.advance(560);
      await first.flows.decide(codes, 'approve');
      expect((await second.flows.poll('tv', codes.device_code)).status).toBe(200);
    }
  });

  test.each([15, 30])(
    '#83 a device that polls in time never gets slow_down, with clocks %i s apart',
    async (seconds) => {
      nodes = new Nodes();
      const [one, two] = [await nodes.start(), await nodes.start({ ahead: seconds * 1000 })];
      for (const turns of [
        [two, one, two, one, two, one],
        [one, two, two, one, one, two],
      ]) {
        const { device_code } = await one.flows.device('tv');
        for (const [turn, node] of turns.entries()) {
          const { json } = await node.flows.poll('tv', device_code);
          expect([turn, json['error']]).toEqual([turn, 'authorization_pending']);
          nodes.shared.advance(5);
        }
      }
    },
  );

  test('#83 nor at the longest interval, and a device that never waits is slowed down at each of them', async () => {
    const [slow, fast] = await start();
    const { device_code } = await slow.flows.device('tv');
    const poll = async (node: Node) => (await node.flows.poll('tv', device_code)).json['error'];
    await poll(fast);
    for (let n = 0; n < 11; n += 1) expect(await poll(fast)).toBe('slow_down');
    for (const node of [slow, fast, slow]) {
      nodes.shared.advance(60);
      expect(await poll(node)).toBe('authorization_pending');
      expect(await poll(node)).toBe('slow_down');
    }
  });

  test('#91 a JWT of the process ahead is accepted by the other one immediately', async () => {
    const [slow, fast] = await start({ jwt: [{ key: KEY }] });
    const { access_token } = await fast.flows.tokens('web');
    expect((await slow.flows.guarded('profile', access_token)).status).toBe(200);
  });
});
