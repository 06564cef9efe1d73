import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Node, Nodes } from './support/nodes.js';

const counted = vi.hoisted(() => ({ hashes: 0 }));
vi.mock(import('node:crypto'), async (original) => {
  const crypto = await original();
  const hash = (...given: Parameters<typeof crypto.hash>) => ((counted.hashes += 1), crypto.hash(...given));
  return { ...crypto, hash } as typeof crypto;
});

describe('the number of hashes of an operation: more would hash something twice', () => {
  const nodes = new Nodes();
  let node: Node;
  beforeAll(async () => {
    node = await nodes.start();
  });
  afterAll(() => nodes.close());

  const measure = async (act: () => Promise<unknown>): Promise<number> => {
    counted.hashes = 0;
    await act();
    return counted.hashes;
  };

  test("a client's own token: its secret and the key of the token", async () => {
    const act = () => node.flows.token('service', { grant_type: 'client_credentials' });
    expect(await measure(act)).toBe(2);
  });

  test("the guard of an owner's token: the key of the token", async () => {
    const { access_token } = await node.flows.tokens('web');
    expect(await measure(() => node.flows.guarded('profile', access_token))).toBe(1);
  });

  test('a code: the secret, the code, the verifier, both tokens, and what proves their family', async () => {
    const code = await node.flows.code('web');
    expect(await measure(() => node.flows.redeem('web', code))).toBe(6);
  });

  test('a refresh: the secret, the token, and both new tokens, each derived', async () => {
    const { refresh_token } = await node.flows.tokens('web');
    expect(await measure(() => node.flows.refresh('web', refresh_token))).toBe(6);
  });
});
