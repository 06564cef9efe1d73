import { afterEach, describe, expect, test } from 'vitest';
import type { Store } from '../../src/core/base/ports.js';
import { type Fate, Line, type Node, Nodes, turns } from './support/nodes.js';
import { refusal } from './support/tokens.js';

const HOUR = 3600;
const INVALID_GRANT = [400, 'invalid_grant'] as const;
const FATES: readonly Fate[] = ['lost on its way there', 'carried out, and its answer lost', 'the last of a process'];

/** The refresh tokens of a client that refreshes this often, at this interval in seconds. */
const chainOf = async (nodes: Nodes, { flows }: Node, length: number, interval = HOUR): Promise<string[]> => {
  const tokens = [(await flows.tokens('native')).refresh_token];
  for (let n = 1; n < length; n += 1) {
    nodes.shared.advance(interval);
    tokens.push((await flows.refreshed('native', tokens.at(-1) ?? '')).refresh_token);
    await turns(10);
  }
  return tokens;
};

/** Lets go of a call only when told to. */
class Held {
  readonly store: Store;
  #release: () => void = () => undefined;
  #isArmed = false;

  constructor(store: Store, part: string) {
    this.store = {
      get: (key) => store.get(key),
      delete: (key) => store.delete(key),
      add: async (...record) => {
        if (this.#isArmed && record[0].includes(part)) {
          this.#isArmed = false;
          await new Promise<void>((resolve) => (this.#release = resolve));
        }
        return store.add(...record);
      },
    };
  }

  arm(): void {
    this.#isArmed = true;
  }

  release(): void {
    this.#release();
  }
}

describe('a long chain of refresh tokens', () => {
  let nodes: Nodes;
  afterEach(() => nodes.close());

  test('takes as many records after fifty refreshes as after five', async () => {
    nodes = new Nodes();
    const node = await nodes.start();
    const counts = [];
    for (const length of [6, 51]) {
      const [token = ''] = await chainOf(nodes, node, length);
      counts.push(['spent', 'done', 'pruned', 'refreshed'].map((kind) => nodes.keysOf(kind, token).length));
    }
    expect(counts).toEqual([
      [3, 1, 1, 1],
      [3, 1, 1, 1],
    ]);
  });

  test.each([1, 2, 3, 5, 8])('#69 token %i of ten ends the grant when it is used again', async (n) => {
    nodes = new Nodes();
    const node = await nodes.start();
    const tokens = await chainOf(nodes, node, 10);
    const last = tokens.at(-1) ?? '';
    expect(await node.flows.isActive(tokens[n - 1] ?? '')).toBe(false);
    expect(await node.flows.isActive(last)).toBe(true);
    expect(refusal(await node.flows.refresh('native', tokens[n - 1] ?? ''))).toEqual(INVALID_GRANT);
    expect(await node.flows.isActive(last)).toBe(false);
  });

  test('an old token that has expired ends nothing, and neither does one of another client', async () => {
    nodes = new Nodes();
    const { flows } = await nodes.start();
    const tokens = await chainOf(nodes, { flows } as Node, 12, 2 * 24 * HOUR);
    for (const token of [tokens[0] ?? '', tokens[2] ?? '', tokens[3] ?? ''])
      expect(refusal(await flows.refresh('native', token))).toEqual(INVALID_GRANT);
    expect(refusal(await flows.refresh('web', tokens[8] ?? ''))).toEqual(INVALID_GRANT);
    expect(await flows.isActive(tokens.at(-1) ?? '')).toBe(true);
  });

  test('token 1 is used until the second in which it expires', async () => {
    nodes = new Nodes();
    const { flows } = await nodes.start();
    const tokens = await chainOf(nodes, { flows } as Node, 7, 2 * 24 * HOUR);
    nodes.shared.advance(2 * 24 * HOUR - 1);
    expect(nodes.keysOf('pruned', tokens[0] ?? '')).toHaveLength(1);
    expect(await flows.areActive(...tokens)).toEqual(tokens.map((_token, at) => at === tokens.length - 1));
    nodes.shared.advance(1);
    expect(nodes.keysOf('pruned', tokens[0] ?? '')).toEqual([]);
    expect(await flows.areActive(...tokens)).toEqual(tokens.map((_token, at) => at === tokens.length - 1));
  });

  test('an old token can still be revoked, with its grant', async () => {
    nodes = new Nodes();
    const { flows } = await nodes.start();
    const tokens = await chainOf(nodes, { flows } as Node, 6);
    expect((await flows.revoke('native', tokens[1] ?? '')).status).toBe(200);
    expect(await flows.isActive(tokens.at(-1) ?? '')).toBe(false);
  });

  test('a token made up from the expiry, number and grant of an old one ends nothing', async () => {
    nodes = new Nodes();
    const { flows } = await nodes.start();
    const tokens = await chainOf(nodes, { flows } as Node, 6);
    const [first = ''] = tokens;
    for (const rest of ['x'.repeat(65), 'x'.repeat(22) + first.slice(-43)])
      expect(refusal(await flows.refresh('native', first.slice(0, 35) + rest))).toEqual(INVALID_GRANT);
    expect(await flows.isActive(tokens.at(-1) ?? '')).toBe(true);
  });

  test('refreshes in quick succession delete nothing; the next one after a while deletes all that they left', async () => {
    nodes = new Nodes();
    const { flows } = await nodes.start();
    const tokens = await chainOf(nodes, { flows } as Node, 8, 1);
    const [first = ''] = tokens;
    expect(nodes.keysOf('spent', first)).toHaveLength(8);
    nodes.shared.advance(HOUR);
    const { refresh_token } = await flows.refreshed('native', tokens.at(-1) ?? '');
    await turns(20);
    expect(nodes.keysOf('spent', first)).toHaveLength(3);
    expect(nodes.chains(first)).toBe(1);
    expect(await flows.areActive(...tokens, refresh_token)).toEqual([...tokens.map(() => false), true]);
  });

  test('no call of the store that fails makes an old token valid, whatever was deleted before and is later', async () => {
    const tried = [];
    for (let call = 1, isOver = false; !isOver; call += 1) {
      for (const fate of FATES) {
        nodes = new Nodes();
        const line = new Line(nodes.shared.store);
        const frail = await nodes.start({ between: () => line.store });
        const other = await nodes.start();
        const tokens = await chainOf(nodes, other, 5);
        const before = tokens.at(-1) ?? '';
        nodes.shared.advance(HOUR);
        line.watch(call, fate);
        const answer = frail.flows.refresh('native', before).catch(() => undefined);
        await Promise.race([answer, line.death]);
        await turns(50);
        isOver = line.calls < call;
        tokens.push((await other.flows.refreshed('native', before)).refresh_token);
        for (let n = 0; n < 4; n += 1) {
          nodes.shared.advance(HOUR);
          tokens.push((await other.flows.refreshed('native', tokens.at(-1) ?? '')).refresh_token);
          await turns(20);
          expect(nodes.chains(before), `call ${call} ${fate}`).toBe(1);
          const expected = tokens.map((_token, index) => index === tokens.length - 1);
          expect(await other.flows.areActive(...tokens), `call ${call} ${fate}`).toEqual(expected);
        }
        expect(nodes.keysOf('spent', before), `call ${call} ${fate}`).toHaveLength(3);
        tried.push(call);
        await nodes.close();
      }
    }
    // One that reads, two that write, three after the answer; the next one does not exist.
    expect(Math.max(...tried)).toBe(7);
  });

  test('a process that stood still while the others went on answers 503, and nothing it wrote is of use', async () => {
    nodes = new Nodes();
    const held = new Held(nodes.shared.store, ':spent:');
    const slow = await nodes.start({ between: () => held.store });
    const other = await nodes.start();
    const tokens = await chainOf(nodes, other, 4);
    const shared = tokens.at(-1) ?? '';
    nodes.shared.advance(HOUR);
    held.arm();
    const late = slow.flows.refresh('native', shared);
    await turns(50);
    for (let n = 0; n < 4; n += 1) {
      tokens.push((await other.flows.refreshed('native', tokens.at(-1) ?? '')).refresh_token);
      nodes.shared.advance(HOUR);
      await turns(20);
    }
    held.release();
    expect((await late).status).toBe(503);
    expect(await other.flows.areActive(...tokens)).toEqual(tokens.map((_token, at) => at === tokens.length - 1));
    expect(refusal(await other.flows.refresh('native', shared)), 'a replay').toEqual(INVALID_GRANT);
    expect(await other.flows.isActive(tokens.at(-1) ?? '')).toBe(false);
  });
});
