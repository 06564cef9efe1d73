import { describe, expect, test } from 'vitest';
import { oauthQuery } from '../../../src/adapters/node/index.js';
import { memoryStore } from '../../../src/stores/memory.js';
import { everyRow } from '../../rows.js';
import { PKCE, wordsOf } from '../support/browser.js';
import { Gate } from '../support/gate.js';
import { liveIn, Nodes, turns } from '../support/nodes.js';
import { refusal } from '../support/tokens.js';

const WEB = { response_type: 'code', client_id: 'web', redirect_uri: 'https://app.example/cb', ...PKCE.request };

describe('an owner disconnects an application', () => {
  let nodes: Nodes;
  const start = async () => {
    nodes = new Nodes({ lifetimes: { rememberedConsent: 86_400 } });
    const gate = new Gate(nodes.shared.store);
    return { gate, node: await nodes.start({ between: () => gate.store }), other: await nodes.start() };
  };

  test('all its grants end at once in every process, before any of their records is deleted; other applications stay', async () => {
    const { gate, node, other } = await start();
    const kept = await other.flows.tokens('native');
    const lost = [await node.flows.tokens('web'), await node.flows.tokens('web'), await node.flows.tokens('web')];
    const tokens = lost.flatMap(({ access_token, refresh_token }) => [access_token, refresh_token]);
    const browser = node.flows.browser('alice');
    const page = await browser.open('/oauth/grants');
    // Nothing is tidied up before the end of this test.
    const { arrived, letGo } = gate.hold('getMany', ':grant:');
    const question = await browser.submit(page, { disconnect: 'web' });
    expect((await browser.submit(question)).status).toBe(303);
    await arrived;
    expect(lost.flatMap(({ access_token }) => nodes.keysOf('grant', access_token))).toHaveLength(3);

    for (const { flows, host } of [node, other]) {
      expect(await flows.areActive(...tokens)).toEqual(tokens.map(() => false));
      expect(refusal(await flows.refresh('web', lost[0]?.refresh_token ?? ''))).toEqual([400, 'invalid_grant']);
      expect((await flows.guarded('profile', lost[0]?.access_token ?? '')).status).toBe(401);
      expect((await host.grants.list({ sub: 'alice' })).grants.map(({ client_id }) => client_id)).toEqual(['native']);
      expect((await host.grants.apps({ sub: 'alice' })).map(({ client_id }) => client_id)).toEqual(['native']);
      expect(wordsOf(await flows.browser('alice').authorize(WEB)), 'the approval is forgotten').toContain(
        'would like to',
      );
    }
    expect(await other.flows.areActive(kept.access_token, kept.refresh_token)).toEqual([true, true]);

    const again = await other.flows.tokens('web');
    letGo();
    await expect.poll(() => lost.flatMap(({ access_token }) => nodes.keysOf('grant', access_token))).toEqual([]);
    expect(await node.flows.areActive(again.access_token, again.refresh_token), 'connected again').toEqual([
      true,
      true,
    ]);
    expect(nodes.shared.events.filter(({ type }) => type === 'grant.revoked')).toHaveLength(3);
  });

  test('a grant that is created at the same moment ends too, also if its records are written afterwards', async () => {
    const { gate, node, other } = await start();
    await other.flows.tokens('web');
    const { arrived, letGo } = gate.hold('add', ':grant:');
    const code = node.flows.code('web', { prompt: 'consent', scope: 'profile content.write' });
    await arrived;
    await turns(20);
    await other.host.grants.revoke({ sub: 'alice', client_id: 'web' });
    letGo();
    expect(refusal(await node.flows.redeem('web', await code))).toEqual([400, 'invalid_grant']);
    expect(await other.host.grants.apps({ sub: 'alice' })).toEqual([]);
    expect((await other.flows.redeem('web', await other.flows.code('web'))).status).toBe(200);
  });

  test('a sign-in that extends a connection while it ends, or after its record was lost, revives nothing', () =>
    everyRow(['ended', 'lost'], async (how) => {
      const { gate, node, other } = await start();
      const { access_token, refresh_token } = await other.flows.tokens('web');
      const { arrived, letGo } = gate.hold('swap', ':connection:');
      const code = node.flows.code('web', { scope: 'profile content.write' });
      await arrived;
      if (how === 'ended') await other.host.grants.revoke({ sub: 'alice', client_id: 'web' });
      else
        for (const [key] of nodes.shared.store.entries())
          if (key.includes(':connection:')) await nodes.shared.store.delete(key);
      letGo();
      expect(refusal(await node.flows.redeem('web', await code))).toEqual([400, 'invalid_grant']);
      expect(await other.flows.areActive(access_token, refresh_token)).toEqual([false, false]);
      expect((await other.flows.redeem('web', await other.flows.code('web'))).status).toBe(200);
    }));

  test('two first grants at the same moment share one connection, and both work', async () => {
    const { gate, node, other } = await start();
    const { arrived, letGo } = gate.hold('add', ':connection:');
    const held = node.flows.code('web');
    await arrived;
    const first = await other.flows.code('web');
    letGo();
    const redeemed = await Promise.all([await held, first].map((code) => node.flows.redeem('web', code)));
    expect(redeemed.map(({ status }) => status)).toEqual([200, 200]);
    const connections = [...nodes.shared.store.entries()].filter(([key]) => key.includes(':connection:'));
    expect(connections).toHaveLength(1);
    expect(await other.host.grants.revoke({ client_id: 'web' })).toBe(2);
  });

  test('after a change of the secret, connections made with the older one are used and found', async () => {
    const store = memoryStore();
    const [old, fresh] = ['the older secret of 32 characters ..', 'the newer secret of 32 characters ..'];
    const serverWith = (...secret: string[]) => server(store, { secret });
    const issue = { sub: 'alice', client_id: 'app-1', scope: 'read' } as const;
    await serverWith(old).issue(issue);
    const rotated = serverWith(fresh, old);
    await rotated.issue(issue);
    const connections = () => liveIn(store).filter(([key]) => key.includes(':connection:')).length;
    expect(connections()).toBe(1);
    const last = serverWith(fresh);
    await last.issue(issue);
    expect(connections()).toBe(2);
    expect(await last.grants.apps({ sub: 'alice' })).toEqual([
      expect.objectContaining({ client_id: 'app-1', grants: 3 }),
    ]);
    expect(await last.grants.revoke({ sub: 'alice', client_id: 'app-1' })).toBe(3);
    expect(connections()).toBe(0);
  });
});

const server = (store: ReturnType<typeof memoryStore>, { secret }: { readonly secret: readonly string[] }) =>
  oauthQuery({
    store,
    issuer: 'https://many.example',
    secret,
    clients: Array.from({ length: 60 }, (_, n) => ({
      client_id: `app-${n}`,
      client_secret: 's'.repeat(32),
      redirect_uris: [`https://app-${n}.example/cb`],
    })),
    scopes: { read: 'Read', write: 'Write' },
    users: [],
    onWarning: () => undefined,
  });

test('an owner with thousands of grants sees every connected application, and disconnects one with a few commands', async () => {
  const store = memoryStore();
  const { issue, grants } = server(store, { secret: ['a secret of this test with 32 characters'] });
  // So many for the first application that no page of grants shows another one; and one for each of the others.
  for (let n = 0; n < 2500; n += 1) await issue({ sub: 'alice', client_id: 'app-0', scope: 'read' });
  for (let n = 1; n < 60; n += 1) await issue({ sub: 'alice', client_id: `app-${n}`, scope: ['read', 'write'] });
  const apps = await grants.apps({ sub: 'alice' });
  expect(apps).toHaveLength(60);
  expect(apps.find(({ client_id }) => client_id === 'app-0')).toMatchObject({ scope: 'read' });
  expect(apps.find(({ client_id }) => client_id === 'app-59')).toMatchObject({ scope: 'read write' });

  expect(await grants.revoke({ sub: 'alice', client_id: 'app-0' })).toBe(2500);
  expect(await grants.apps({ sub: 'alice' })).toHaveLength(59);
  expect(await grants.revoke({ sub: 'alice' })).toBe(59);
  expect(liveIn(store).filter(([key]) => /:(?:connection|grant):/.test(key))).toEqual([]);
});
