import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { customGrant } from '../../../src/core/index.js';
import { hostFor, useHost } from '../../hosts.js';
import { PKCE, wordsOf } from '../support/browser.js';
import { DEVICE_CODE, fixture, KEEPER } from '../support/fixture.js';
import { Gate } from '../support/gate.js';
import { liveIn, Nodes, turns } from '../support/nodes.js';
import { Flows, refusal } from '../support/tokens.js';

const SECOND = 1000;
const HOUR = 3600;
const GIFT = 'urn:example:gift';
const CLIENTS = [
  KEEPER,
  {
    client_id: 'legacy',
    client_secret: 'legacy-secret',
    client_name: 'The legacy',
    grant_types: ['password', GIFT, 'refresh_token'],
  },
  { client_id: 'page', grant_types: ['implicit'], redirect_uris: ['https://page.example/cb'], scope: 'profile' },
] as const;

describe.each(hostFor(import.meta.url))('listed grants on $name', (host) => {
  const { options, errors, store, advance, clock } = fixture({
    clients: CLIENTS,
    grants: ['authorization_code', 'refresh_token', 'device_code', 'password', 'implicit'],
    features: [customGrant(GIFT, { handle: () => ({ sub: 'bob', scope: '' }) })],
    resources: ['https://photos.example'],
    lifetimes: { rememberedConsent: 86_400 },
  });
  let flows: Flows;
  const now = () => Math.floor(clock() / SECOND);
  const list = async (of: { sub: string } | { client_id: string }) => (await running.grants.list(of)).grants;

  const running = useHost(host, { options }, errors);
  beforeEach(async () => {
    flows = new Flows(running, CLIENTS);
    for (const sub of ['alice', 'bob']) await running.grants.revoke({ sub });
  });

  test('a row has what was allowed, to whom, when and how', async () => {
    expect(await list({ sub: 'alice' })).toEqual([]);
    const { refresh_token } = await flows.tokens('web', { resource: 'https://photos.example', scope: 'profile' });
    const row = {
      grant_id: refresh_token.slice(0, 22),
      client_id: 'web',
      sub: 'alice',
      username: 'alice',
      scope: 'profile',
      resource: ['https://photos.example'],
      created: now(),
      expires: now() + 90 * 86_400,
      grant_type: 'authorization_code',
      silent: false,
    };
    expect(await list({ sub: 'alice' })).toEqual([row]);
    expect(await list({ client_id: 'web' })).toEqual([row]);
    expect(await list({ sub: 'web' }), 'an owner with the name of a client').toEqual([]);
    expect(await list({ sub: 'bob' })).toEqual([]);
  });

  test('every kind of grant has its name', async () => {
    await flows.token('legacy', { grant_type: 'password', username: 'bob', password: 'builder' });
    await flows.token('legacy', { grant_type: GIFT });
    await flows.authorize('page', { response_type: 'token', code_challenge: '', code_challenge_method: '' }, 'bob');
    const codes = await flows.device('tv');
    await flows.decide(codes, 'approve', 'bob');
    expect((await list({ sub: 'bob' })).map((grant) => String(grant.grant_type)).toSorted()).toEqual([
      'implicit',
      'password',
      GIFT,
    ]);
    await flows.poll('tv', codes.device_code);
    expect((await list({ client_id: 'tv' })).map((grant) => grant.grant_type)).toEqual([DEVICE_CODE]);
  });

  test('an unredeemed code is not listed, and ends with the others', async () => {
    const code = await flows.code('web');
    expect(await list({ sub: 'alice' })).toEqual([]);
    expect(await running.grants.revoke({ sub: 'alice' })).toBe(1);
    expect(refusal(await flows.redeem('web', code))).toEqual([400, 'invalid_grant']);
  });

  test('the last refresh is known; to the hour if the token is not rotated', async () => {
    const { refresh_token: kept } = await flows.tokens('keeper');
    let { refresh_token } = await flows.tokens('native');
    const refresh = async () => {
      ({ refresh_token } = await flows.refreshed('native', refresh_token));
      await flows.refreshed('keeper', kept);
    };
    const last = async () => (await list({ sub: 'alice' })).map((grant) => grant.last_refreshed);
    expect(await last()).toEqual([undefined, undefined]);
    await refresh();
    const first = now();
    await expect.poll(last).toEqual([first, first]);
    advance(HOUR - 1);
    await refresh();
    expect(new Set(await last())).toEqual(new Set([first, first + HOUR - 1]));
    advance(1);
    await refresh();
    await expect.poll(last).toEqual([first + HOUR, first + HOUR]);
  });

  test('pages continue where the previous one ended, and every grant is on one of them', async () => {
    const ids = await Promise.all(
      [1, 2, 3, 4, 5].map(async () => (await flows.tokens('web')).refresh_token.slice(0, 22)),
    );
    const seen: string[] = [];
    let after: string | undefined;
    do {
      const page = await running.grants.list({ sub: 'alice' }, { after, limit: 2 });
      seen.push(...page.grants.map((grant) => grant.grant_id));
      after = page.next;
    } while (after !== undefined);
    expect(seen.toSorted()).toEqual(ids.toSorted());
  });

  test('an invalid page or owner is a TypeError', async () => {
    const { list: ask, apps } = running.grants as unknown as Record<string, (...given: unknown[]) => Promise<unknown>>; // As JavaScript sees it.
    for (const of of [undefined, {}, { sub: 'a', client_id: 'b' }, { sub: '' }, 'alice'])
      await expect(ask?.(of)).rejects.toThrow(TypeError);
    for (const limit of [0, 501, 1.5, '5'])
      await expect(ask?.({ sub: 'alice' }, { limit })).rejects.toThrow(
        'grants.list: limit must be a whole number from 1 to 500.',
      );
    await expect(ask?.({ sub: 'alice' }, { after: 'ä' })).rejects.toThrow('after must be the next');
    await expect(apps?.({ client_id: 'web' })).rejects.toThrow('grants.apps takes { sub }.');
  });

  test('an application is one row, however often its owner signed in', async () => {
    const browser = flows.browser('alice');
    await flows.tokens('web', { scope: 'profile' });
    const created = now();
    advance(60);
    await flows.tokens('web', { scope: 'profile' });
    await flows.tokens('native', { resource: 'https://photos.example' });
    expect(browser.cookies.size).toBeGreaterThan(0);
    expect(new Set((await list({ client_id: 'web' })).map((grant) => grant.silent))).toEqual(new Set([false, true]));
    expect(await running.grants.apps({ sub: 'alice' })).toEqual([
      {
        client_id: 'native',
        client_name: 'native',
        scope: 'profile content.read',
        resource: ['https://photos.example'],
        created: now(),
        last_used: now(),
        expires: now() + 90 * 86_400,
        grants: 1,
      },
      {
        client_id: 'web',
        client_name: 'web',
        scope: 'profile',
        resource: [],
        created,
        last_used: now(),
        expires: now() + 90 * 86_400,
        grants: 2,
      },
    ]);
  });

  test('a store without list works for the protocol, and listing throws an error that says so', async () => {
    const { list: _list, ...unlisted } = store;
    const plain = await host.start({ options: { ...options, store: unlisted } });
    const { refresh_token } = await new Flows(plain, CLIENTS).tokens('web');
    expect((await new Flows(plain, CLIENTS).refreshed('web', refresh_token)).scope).toBe('profile content.read');
    for (const ask of [plain.grants.list, plain.grants.revoke])
      await expect(ask({ sub: 'alice' })).rejects.toThrow('The store cannot list');
    expect(await plain.grants.revoke(refresh_token.slice(0, 22))).toBe(1);
  });
});

describe.each(hostFor(import.meta.url))('grants that the application ends on $name', (host) => {
  const { options, errors, events } = fixture({ clients: [KEEPER], lifetimes: { rememberedConsent: 86_400 } });

  const running = useHost(host, { options }, errors);
  const flows = new Flows(running, CLIENTS);

  /** Whether the owner is asked, instead of being sent to the client. */
  const isAsked = async (client_id: string, username: 'alice' | 'bob'): Promise<boolean> => {
    const browser = flows.browser(username);
    const answer = await browser.authorize({
      response_type: 'code',
      client_id,
      redirect_uri: flows.redirectUri(client_id),
      ...PKCE.request,
    });
    return answer.status === 200;
  };

  const TARGETS = [
    ['of an owner', { sub: 'alice' }, { 'web of alice': false, 'keeper of alice': false, 'web of bob': true }],
    ['of a client', { client_id: 'web' }, { 'web of alice': false, 'keeper of alice': true, 'web of bob': false }],
    [
      'of an owner at a client',
      { sub: 'alice', client_id: 'web' },
      { 'web of alice': false, 'keeper of alice': true, 'web of bob': true },
    ],
  ] as const;

  test.each(TARGETS)('%s: tokens and remembered approvals, and nothing else', async (_title, target, lives) => {
    const all = {
      'web of alice': await flows.tokens('web'),
      'keeper of alice': await flows.tokens('keeper'),
      'web of bob': await flows.tokens('web', {}, 'bob'),
    };
    events.length = 0;
    await running.grants.revoke(target, { by: 'admin' });
    for (const [name, live] of Object.entries(lives)) {
      const { access_token, refresh_token } = all[name as keyof typeof all];
      expect([name, ...(await flows.areActive(access_token, refresh_token))]).toEqual([name, live, live]);
      expect((await flows.guarded('profile', access_token)).status).toBe(live ? 200 : 401);
    }
    const [client_id, sub] = ['client_id' in target ? target.client_id : 'web', 'sub' in target ? target.sub : 'bob'];
    const grant_id = all[`${client_id} of ${sub}` as keyof typeof all].refresh_token.slice(0, 22);
    const revoked = { type: 'grant.revoked', grant_id, client_id, sub, reason: 'host', by: 'admin' };
    expect(events).toContainEqual(expect.objectContaining(revoked));
    expect(await isAsked('web', 'alice')).toBe(true);
    expect(await isAsked('keeper', 'alice')).toBe(lives['keeper of alice'] ? false : true);
    expect(await isAsked('web', 'bob')).toBe(lives['web of bob'] ? false : true);
  });

  test("one grant: the owner is asked again, and the client's other grants remain", async () => {
    const first = await flows.tokens('web');
    const second = await flows.tokens('web');
    const grant_id = first.refresh_token.slice(0, 22);
    expect(await running.grants.revoke({ grant_id })).toBe(1);
    expect(await running.grants.revoke(grant_id), 'again').toBe(0);
    expect(await flows.areActive(first.access_token, second.access_token)).toEqual([false, true]);
    expect(await isAsked('web', 'alice')).toBe(true);
  });
});

describe('simultaneous approvals while another process ends all grants of their owner', () => {
  const nodes = new Nodes({ lifetimes: { rememberedConsent: 86_400 } });
  afterAll(() => nodes.close());

  const start = async () => {
    let gate: Gate | undefined;
    const node = await nodes.start({ between: (store) => (gate = new Gate(store)).store });
    const other = await nodes.start();
    if (gate === undefined) throw new Error('There is no gate.');
    return { node, other, gate };
  };
  const WEB = { response_type: 'code', client_id: 'web', redirect_uri: 'https://app.example/cb', ...PKCE.request };
  const liveGrants = () => liveIn(nodes.shared.store).filter(([key]) => key.includes(':grant:'));

  test.each([
    ['granted', ':grant:', 1],
    ['written its code', ':chain:', 2],
  ])('a remembered one that has not yet %s requires consent instead', async (_what, part, ended) => {
    const { node, other, gate } = await start();
    await node.flows.code('web');
    const { arrived, letGo } = gate.hold('add', part);
    const answer = node.flows.browser('alice').authorize(WEB);
    await arrived;
    await turns(20); // The other calls have finished.
    expect(await other.host.grants.revoke({ sub: 'alice' })).toBe(ended);
    letGo();
    expect(wordsOf(await answer)).toContain('would like to');
    expect(liveGrants()).toEqual([]);
  });
});
