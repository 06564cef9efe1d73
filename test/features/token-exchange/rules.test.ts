import { describe, expect, test } from 'vitest';
import { hostFor } from '../../hosts.js';
import { useStarted } from '../../hosts/listen.js';
import { fixture } from '../../oauth/support/fixture.js';
import { refusal } from '../../oauth/support/tokens.js';
import { everyRow } from '../../rows.js';
import { at, EXCHANGE, exchangeFixture, ExchangeSite, service, useExchange } from './support.js';

const [HOST] = hostFor(import.meta.url);

describe('the token that is exchanged', () => {
  const disabled = new Set<string>();
  let isAllowed = true;
  const site = useExchange(HOST, {
    users: { authenticate: () => undefined, isActive: (sub) => !disabled.has(sub) },
    validateGrant: () => isAllowed,
  });

  test('is worth nothing once its user is disabled, or the application does not allow its grant', async () => {
    const target = { resource: at('search') };
    const token = await site.ofAlice('notes');
    const next = await site.exchanged('notes', token, 'search');
    const unknown = await site.exchange('notes', 'x', target);
    for (const change of [
      (is: boolean) => void (is ? disabled.add('alice') : disabled.clear()),
      (is: boolean) => void (isAllowed = !is),
    ]) {
      change(true);
      const refused = [
        await site.exchange('notes', token, target),
        await site.exchange('search', next, { resource: at('mail') }),
      ];
      expect(refused.map(({ status, text }) => [status, text])).toEqual(Array(2).fill([400, unknown.text]));
      change(false);
      expect((await site.exchange('notes', token, target)).status).toBe(200);
    }
  });

  test('with five seconds left becomes one with five seconds, and with none left nothing', async () => {
    const token = await site.ofAlice('notes');
    const { exp } = await site.introspect(token);
    site.fixture.advance(3595);
    const { json } = await site.exchange('notes', token, { resource: at('search') });
    expect(json['expires_in']).toBe(5);
    expect((await site.introspect(String(json['access_token'])))['exp']).toBe(exp);
    site.fixture.advance(5);
    expect(refusal(await site.exchange('notes', token, { resource: at('search') }))).toEqual([400, 'invalid_request']);
    expect(await site.isLive(String(json['access_token']))).toBe(false);
  });
});

describe('what a service gets', () => {
  const rows = new Map<string, object>();
  const all = exchangeFixture(
    {
      scopes: {
        ...fixture().options.scopes,
        'content.write': { description: 'Write', implies: ['content.read'] },
      },
      clients: [
        service('short', { audience: at('notes'), access_token_lifetime: 60 }),
        service('whole', { audience: 'https://auth.example', exchange_resources: [at('search')] }),
      ],
    },
    { from: { short: [at('search')] } },
  );
  const clients = [
    ...(all.options.clients as readonly []),
    { find: (client_id: string) => rows.get(client_id) as never },
  ];
  const site = useStarted(
    async () =>
      new ExchangeSite(await HOST.start({ options: { ...all.options, issuer: 'https://auth.example', clients } }), all),
  );

  test('lives no longer than its other tokens', async () => {
    const { json } = await site.exchange('short', await site.ofAlice('notes'), { resource: at('search') });
    expect(json['expires_in']).toBe(60);
  });

  test('is for a resource of its list, also if the exchanged token names none', async () => {
    const token = await site.ofAlice(undefined, 'content.read');
    await everyRow(
      [
        [{ resource: at('search') }, 200, undefined],
        [{}, 200, undefined],
        [{ resource: at('mail') }, 400, 'invalid_target'],
        [{ resource: 'https://auth.example' }, 400, 'invalid_target'],
        [{ audience: at('files') }, 400, 'invalid_target'],
      ] as const,
      async ([more, status, error]) => {
        const answer = await site.exchange('whole', token, more);
        expect([answer.status, answer.json['error']]).toEqual([status, error]);
        if (status === 200)
          expect(await site.introspect(String(answer.json['access_token']))).toMatchObject({ aud: at('search') });
      },
    );
  });

  test('has the scopes that the requested ones imply, if the exchanged token has them', async () => {
    const target = { resource: at('search'), scope: 'content.write' };
    const scopeOf = async (scope: string) =>
      String((await site.exchange('notes', await site.ofAlice('notes', scope), target)).json['scope'])
        .split(' ')
        .toSorted();
    expect(await scopeOf('content.write')).toEqual(['content.read', 'content.write']);
    // Those of the exchanged token are the most: a name that is not in it implies nothing more than it has.
    expect(await scopeOf('content.read')).toEqual(['content.read']);
    expect(await scopeOf('profile')).toEqual(['undefined']);
  });

  test('ends with each client that had it, when its tokens are ended', async () => {
    const row = (client_id: string) =>
      service(client_id, {
        audience: at('notes'),
        exchange_resources: [at('search')],
        redirect_uris: ['https://x.example/cb'],
      });
    for (const client_id of ['hub', 'start']) rows.set(client_id, row(client_id));
    for (const client_id of ['hub', 'start', 'search']) {
      const { access_token } = await site.running.issue({ sub: 'alice', client_id: 'start', resource: at('notes') });
      const token = await site.exchanged('search', await site.exchanged('hub', access_token, 'search'), 'mail');
      if (client_id === 'search') continue;
      expect(await site.isLive(token)).toBe(true);
      rows.set(client_id, { ...row(client_id), tokens_valid_after: Math.floor(all.clock() / 1000) + 1 });
      expect([client_id, await site.isLive(token)]).toEqual([client_id, false]);
      rows.set(client_id, row(client_id));
    }
  });

  test('of a token of a client itself ends with that client', async () => {
    rows.set('robot', service('robot'));
    const own = await site.ofService('robot', 'notes');
    const token = await site.exchanged('notes', own, 'search');
    expect(await site.introspect(token)).toMatchObject({ active: true, sub: 'client:robot', client_id: 'notes' });
    rows.set('robot', { ...service('robot'), disabled: true });
    expect(await site.isLive(token)).toBe(false);
    expect(refusal(await site.exchange('notes', own, { resource: at('search') }))).toEqual([400, 'invalid_request']);
  });
});

test('a token whose record has not one client for each token before it is not live', async () => {
  const all = exchangeFixture();
  const { store } = all;
  type Record = { readonly from?: readonly object[] };
  let change: (from: readonly object[]) => readonly object[] = (from) => from;
  const changed = <T extends object | undefined>(record: T): T => {
    const { from } = (record ?? {}) as Record;
    return from === undefined ? record : { ...record, from: change(from) };
  };
  const between = {
    ...store,
    get: async (key: string) => changed(await store.get(key)),
    getMany: async (keys: readonly string[]) => (await store.getMany(keys)).map(changed),
  };
  const site = new ExchangeSite(await HOST.start({ options: { ...all.options, store: between as never } }), all);
  const token = await site.exchanged(
    'search',
    await site.exchanged('notes', await site.ofAlice('notes'), 'search'),
    'mail',
  );
  expect(await site.isLive(token)).toBe(true);
  await everyRow(
    [
      [(from) => from.slice(1)],
      [(from) => from.slice(0, -1)],
      [() => []],
      [(from) => [...from, ...from.slice(0, 1)]],
    ] as readonly (readonly [typeof change])[],
    async ([one]) => {
      change = one;
      expect(await site.isLive(token)).toBe(false);
    },
  );
  change = (from) => from;
  expect(await site.isLive(token)).toBe(true);
  await site.close();
  expect(all.errors).toEqual([]);
});

test('the grant is announced, and no client, no resource and no rule', async () => {
  const all = exchangeFixture();
  const site = new ExchangeSite(await HOST.start({ options: all.options }), all);
  const { json, text } = await site.client.get('/.well-known/oauth-authorization-server');
  expect(json['grant_types_supported']).toContain(EXCHANGE);
  for (const name of ['act', 'subject_token', 'search.example', 'exchange_resources'])
    expect(text).not.toContain(`"${name}`);
  await site.close();
});
