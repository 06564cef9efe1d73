import { describe, expect, test } from 'vitest';
import { keyedHash } from '../../../src/core/base/secrets.js';
import { type LastPart, parseLast } from '../../../src/core/oauth/records/chain-record.js';
import { Peppers, successorOf } from '../../../src/core/oauth/tokens/successor.js';
import { Nodes } from '../support/nodes.js';
import { refusal } from '../support/tokens.js';

const SECRET = 'a secret of the test that has 32 characters';
const OLD = 'an old secret of the test, 32 characters';
const INVALID_GRANT = [400, 'invalid_grant'] as const;

/** A read-only copy of what a rotation left in the store. */
const copyOf = (nodes: Nodes, token: string): LastPart => parseLast(nodes.chainOf(token)?.last ?? '');

describe('an attacker with stolen data', () => {
  test('an old refresh token and a copy of the store do not yield the current one', async () => {
    const nodes = new Nodes();
    const { flows } = await nodes.start();
    const first = await flows.tokens('native');
    const second = await flows.refreshed('native', first.refresh_token);
    const copy = copyOf(nodes, first.refresh_token);
    const message = first.refresh_token + copy.salt + copy.request;
    for (const key of ['', copy.salt, copy.key ?? '', 'oauth-query without a secret']) {
      for (const purpose of ['', 'access ', 'refresh '])
        for (const token of [second.access_token, second.refresh_token])
          expect(token.slice(-43)).not.toBe(keyedHash(key, purpose + message));
    }
  });

  test('an old refresh token, a copy of the store and the secret do; using it makes the chains diverge', async () => {
    const nodes = new Nodes();
    const { flows } = await nodes.start();
    const first = await flows.tokens('native');
    const second = await flows.refreshed('native', first.refresh_token);
    const copy = copyOf(nodes, first.refresh_token);
    const stolen = successorOf(first.refresh_token, copy, new Peppers([SECRET]).find(copy.key));
    expect(second.refresh_token.endsWith(stolen.refresh)).toBe(true);
    const third = await flows.refreshed('native', second.refresh_token);
    nodes.shared.advance(10);
    expect(refusal(await flows.refresh('native', second.refresh_token))).toEqual(INVALID_GRANT);
    expect(await flows.areActive(third.access_token, third.refresh_token)).toEqual([false, false]);
  });

  test('the store and the secret yield no token: nothing in the store leads to one', async () => {
    const nodes = new Nodes();
    const { flows } = await nodes.start();
    const first = await flows.tokens('native');
    const second = await flows.refreshed('native', first.refresh_token);
    const copy = copyOf(nodes, first.refresh_token);
    const pepper = new Peppers([SECRET]).find(copy.key);
    const texts = [...nodes.shared.store.entries()].flatMap(([key, value]) => [
      ...key.split(':'),
      ...Object.values(value).flatMap((field) => (typeof field === 'string' ? [field, ...field.split(' ')] : [])),
    ]);
    const made = texts.map((text) => successorOf(text, copy, pepper));
    for (const token of [second.access_token, second.refresh_token])
      expect(made.filter(({ access, refresh }) => token.endsWith(access) || token.endsWith(refresh))).toEqual([]);
    const values = JSON.stringify([...nodes.shared.store.entries()]);
    for (const token of [first, second].flatMap((set) => [set.access_token, set.refresh_token]))
      expect(values).not.toContain(token.slice(-43));
  });

  test('without a configured secret an old refresh token and a copy of the store are enough', async () => {
    const nodes = new Nodes();
    const { flows } = await nodes.start({ hasNoSecret: true });
    const first = await flows.tokens('native');
    const second = await flows.refreshed('native', first.refresh_token);
    const stolen = successorOf(first.refresh_token, copyOf(nodes, first.refresh_token), new Peppers([]).current);
    expect(second.refresh_token.endsWith(stolen.refresh)).toBe(true);
  });

  test('an attacker who repeats each refresh within the grace window is detected when the chains diverge', async () => {
    const nodes = new Nodes();
    const { flows } = await nodes.start();
    let { refresh_token } = await flows.tokens('native');
    for (let n = 0; n < 3; n += 1) {
      const next = await flows.refreshed('native', refresh_token);
      expect((await flows.refreshed('native', refresh_token)).refresh_token).toBe(next.refresh_token);
      ({ refresh_token } = next);
      nodes.shared.advance(3600);
    }
    const owner = await flows.refreshed('native', refresh_token);
    nodes.shared.advance(3600);
    expect(refusal(await flows.refresh('native', refresh_token))).toEqual(INVALID_GRANT);
    expect(await flows.areActive(owner.access_token, owner.refresh_token)).toEqual([false, false]);
  });
});

describe('a secret that is rotated in three rollouts: appended, put first, removed', () => {
  test('#70 a refresh is repeated at a process of the next rollout, with the same tokens', async () => {
    const nodes = new Nodes();
    const rollouts = [];
    for (const secret of [[OLD], [OLD, SECRET], [SECRET, OLD], [SECRET]])
      rollouts.push(await nodes.start({ options: { secret } }));
    for (const [index, node] of rollouts.entries()) {
      const following = rollouts[index + 1];
      if (following === undefined || index === 2) continue;
      for (const [first, second] of [
        [node, following],
        [following, node],
      ] as const) {
        const { refresh_token } = await first.flows.tokens('native');
        const next = await first.flows.refreshed('native', refresh_token);
        expect(await second.flows.refreshed('native', refresh_token)).toEqual(next);
        await second.flows.refreshed('native', next.refresh_token);
      }
    }
  });

  test('#13 a process without a secret of the rotation responds with 503 and reports to onError; the grant lives, with one chain', async () => {
    const nodes = new Nodes();
    const old = await nodes.start({ options: { secret: OLD } });
    const young = await nodes.start({ options: { secret: SECRET } });
    const { refresh_token } = await old.flows.tokens('native');
    const next = await old.flows.refreshed('native', refresh_token);
    const answer = await young.flows.refresh('native', refresh_token);
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '5']);
    expect(young.errors.splice(0).map(String).join()).toContain('options.secret');
    expect(nodes.chains(refresh_token)).toBe(1);
    const last = await young.flows.refreshed('native', next.refresh_token);
    expect(refusal(await young.flows.refresh('native', refresh_token)), 'its successor was used').toEqual(
      INVALID_GRANT,
    );
    expect(await old.flows.isActive(last.access_token)).toBe(false);
  });
});
