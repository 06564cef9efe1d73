import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { oneHostEach } from '../../hosts.js';
import { ISSUER } from '../../oauth/support/nodes.js';
import { IS_WHOLE, share } from '../../rows.js';
import { at, exchangeFixture, ExchangeSite, service } from './support.js';
import { DEPTH, liveAfter, numbers, SERVICES, SIZE, treeOf } from './trees.js';

const KEY = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();
const SCOPES = ['content.read', 'content.write'] as const;

/** Random chains of each kind of token: `CHAINS=5000` takes a minute. */
const CHAINS = Number(process.env['CHAINS'] ?? (IS_WHOLE ? 150 : 50));

describe.each([
  ['opaque', {}, 0],
  ['signed', { jwt: [{ key: KEY }] }, 1],
] as const)('what is exchanged ends, %s', (_format, options, first) => {
  const all = exchangeFixture(options, { depth: DEPTH });
  const sites: ExchangeSite[] = [];
  beforeAll(async () => {
    for (const host of oneHostEach.slice(0, 2))
      sites.push(new ExchangeSite(await host.start({ options: { ...all.options, issuer: ISSUER } }), all));
  });
  afterAll(async () => {
    await Promise.all(sites.map((site) => site.close()));
    expect(all.errors).toEqual([]);
  });
  const processes = (): readonly [ExchangeSite, ExchangeSite] => [sites[0] ?? expect.fail(), sites[1] ?? expect.fail()];

  test('at each of twenty places of a tree: all that came out of it, and nothing else, in the next request of another process', async () => {
    const [one, other] = processes();
    const random = numbers(7);
    for (const end of share([...Array(SIZE).keys()], first)) {
      const nodes = await treeOf(await one.ofAlice('notes'), random, (...asked) => one.exchanged(...asked));
      const { token, by } = nodes[end] ?? expect.fail();
      const revoked = await one.client.post(
        '/oauth/revoke',
        { token },
        { authorization: `Basic ${Buffer.from(`${by}:${by}-secret`).toString('base64')}` },
      );
      expect(revoked.status).toBe(200);
      const live = await Promise.all(nodes.map((node) => other.isLive(node.token)));
      expect(live).toEqual(liveAfter(nodes, end));
      expect((await other.exchange(nodes[0]?.target ?? '', token, { resource: at('mail') })).status).toBe(400);
      all.advance(61);
    }
  });

  test('with its grant, however that ends', async () => {
    const [one, other] = processes();
    const ends: readonly ((sub: string) => Promise<unknown>)[] = [
      (sub) => one.running.grants.revoke({ sub }),
      (sub) => one.running.owners.erase(sub),
      (sub) => one.running.grants.revoke({ sub, client_id: 'web' }),
    ];
    for (const [index, end] of ends.entries()) {
      const sub = ['alice', 'bob', 'user-3'][index] ?? '';
      const token = await one.ofAlice('notes', 'content.read', sub);
      const next = await one.exchanged('search', await one.exchanged('notes', token, 'search'), 'mail');
      expect(await other.isLive(next)).toBe(true);
      await end(sub);
      expect(await other.isLive(next)).toBe(false);
    }
  });

  test('random chains never widen: scope, resource, lifetime, and the first actor stays the innermost', async () => {
    const [site] = processes();
    const random = numbers(11);
    for (let chain = 0; chain < CHAINS; chain += 1) {
      const scope = SCOPES.filter(() => random(3) > 0).join(' ') || 'content.read';
      let from: string = SERVICES[random(4)] ?? '';
      const first = from;
      let token = await site.ofAlice(from, scope);
      let before = await site.introspect(token);
      const hops = 1 + random(4);
      for (let hop = 0; hop < hops; hop += 1) {
        all.advance(random(20));
        const others = SERVICES.filter((name) => name !== from);
        const target = others[random(others.length)] ?? '';
        const asked = [undefined, ...SCOPES, SCOPES.join(' ')][random(4)];
        const answer = await site.exchange(from, token, {
          resource: at(target),
          ...(asked !== undefined && { scope: asked }),
        });
        const had = String(before['scope']).split(' ');
        const expected = had.filter((name) => asked === undefined || asked.split(' ').includes(name));
        if (expected.length === 0) {
          expect(answer.json['error']).toBe('invalid_scope');
          break;
        }
        expect(answer.status).toBe(200);
        token = String(answer.json['access_token']);
        const now = await site.introspect(token);
        expect(String(now['scope']).split(' ').toSorted()).toEqual(expected.toSorted());
        expect(now['exp']).toBeLessThanOrEqual(Number(before['exp']));
        expect([now['sub'], now['aud'], now['client_id']]).toEqual(['alice', at(target), from]);
        let actor = now['act'] as { client_id: string; act?: unknown };
        expect(actor.client_id).toBe(from);
        while (actor.act !== undefined) actor = actor.act as typeof actor;
        expect(actor.client_id).toBe(first);
        [before, from] = [now, target];
      }
      all.advance(61);
    }
  }, 600_000);
});

test('a store that loses a reply costs nothing: the same exchange works again', async () => {
  const [host] = oneHostEach;
  const all = exchangeFixture();
  const { store } = all;
  let isDown = false;
  const add: typeof store.add = async (...record) => {
    const added = await store.add(...record);
    if (isDown) throw new Error('The reply is lost.');
    return added;
  };
  const options = { ...all.options, store: { ...store, add } };
  const site = new ExchangeSite(await host.start({ options }), all);
  const token = await site.ofAlice('notes');
  isDown = true;
  expect((await site.exchange('notes', token, { resource: at('search') })).status).toBe(503);
  isDown = false;
  expect((await site.exchange('notes', token, { resource: at('search') })).status).toBe(200);
  expect(all.errors.splice(0)).toHaveLength(1);
});

test('a client that is disabled ends what went through its hands, in every process', async () => {
  const [host] = oneHostEach;
  const rows = new Map([
    ['hub', service('hub', { exchange_resources: [at('search')] })],
    ['start', service('start', { redirect_uris: ['https://start.example/cb'] })],
  ]);
  const all = exchangeFixture({
    resources: Object.fromEntries(['hub', 'search', 'mail', 'notes', 'files'].map((name) => [at(name), { name }])),
  });
  const clients = [...(all.options.clients as readonly []), { find: (client_id: string) => rows.get(client_id) }];
  const site = new ExchangeSite(await host.start({ options: { ...all.options, clients } }), all);
  for (const client_id of ['hub', 'start']) {
    const { access_token } = await site.running.issue({ sub: 'alice', client_id: 'start', resource: at('hub') });
    const last = await site.exchanged('search', await site.exchanged('hub', access_token, 'search'), 'mail');
    expect(await site.isLive(last)).toBe(true);
    const row = rows.get(client_id) ?? expect.fail();
    rows.set(client_id, { ...row, disabled: true });
    expect(await site.isLive(last)).toBe(false);
    rows.set(client_id, row);
    expect(await site.isLive(last)).toBe(true);
  }
  expect(all.errors).toEqual([]);
});
