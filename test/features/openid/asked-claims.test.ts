import { describe, expect, test } from 'vitest';
import { basic, Client, everyHost, useHost } from '../../hosts.js';
import { Browser, formOf, responseOf, wordsOf } from '../../oauth/support/browser.js';
import { Flows } from '../../oauth/support/tokens.js';
import { everyRow } from '../../rows.js';
import { ALICE, openIdFixture, rpsAt, signInto, verified } from './support.js';

const LIMITED = {
  client_id: 'limited',
  client_secret: 'limited-secret',
  redirect_uris: ['https://limited.example/cb'],
  scope: 'openid email',
} as const;

const REQUEST = {
  client_id: 'rp',
  response_type: 'code',
  redirect_uri: 'https://rp.example/cb',
  scope: 'openid',
  state: 's',
} as const;

const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });
const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`n${at}`, null]));

// One of each framework.
describe.each(everyHost.filter(({ name }) => /^(express5|koa3|fastify5) bare$/.test(name)))(
  'claims, on $name',
  (host) => {
    const { options, errors, clock, events, store } = openIdFixture(
      { idTokenClaims: 'minimal', claimNames: ['groups'] },
      { clients: [LIMITED], lifetimes: { rememberedConsent: 86_400 } },
    );
    const running = useHost(host, { options }, errors);
    const flows = rpsAt(running);
    const asking = (claims: unknown) => ({ ...REQUEST, claims: JSON.stringify(claims) });
    const idTokenOf = async (answer: Readonly<Record<string, unknown>>, audience: string) =>
      (await verified(answer['id_token'], { issuer: running.base, audience, now: clock() })).claims;
    const userinfo = async (access_token: unknown) =>
      (await flows.client.get('/oauth/userinfo', { authorization: `Bearer ${String(access_token)}` })).json;

    test('O91: what is malformed or too large is invalid_request, and the client learns why', () =>
      everyRow(
        [
          'x',
          '[]',
          '1',
          'null',
          '{"userinfo":[]}',
          '{"id_token":1}',
          '{"userinfo":{"name":true}}',
          '{"userinfo":{"name":[]}}',
          JSON.stringify({ userinfo: { name: nested(3) } }),
          JSON.stringify({ userinfo: many(51) }),
          JSON.stringify({ other: 'x'.repeat(4096) }),
          // What decides who may answer is never ignored.
          '{"id_token":{"sub":{"value":1}}}',
          '{"id_token":{"sub":{"value":null}}}',
          '{"id_token":{"sub":{"values":1}}}',
          '{"userinfo":{"sub":{"value":""}}}',
          '{"id_token":{"sub":{"values":["alice","bob"]}}}',
          '{"id_token":{"sub":{"value":"alice"}},"userinfo":{"sub":{"value":"bob"}}}',
          '{"id_token":{"acr":{"essential":true,"values":[1]}}}',
          '{"id_token":{"acr":{"essential":true,"values":[]}}}',
          '{"id_token":{"sub":{"values":[]}}}',
          `{"userinfo":${'['.repeat(2000)}${']'.repeat(2000)}}`,
        ],
        async (claims) => {
          const { error, error_description } = responseOf(await new Browser(running).authorize({ ...REQUEST, claims }));
          expect([error, error_description]).toEqual(['invalid_request', expect.stringContaining('claims')]);
        },
      ));

    test('O91: members and names that are not known are ignored, up to the bounds', () =>
      everyRow([{}, { other: [1] }, { userinfo: many(50) }, { userinfo: { name: nested(2) } }], async (claims) => {
        expect((await new Browser(running).authorize(asking(claims))).status).toBe(200);
      }));

    const askingBoth = JSON.stringify({ userinfo: { name: { essential: true } }, id_token: { email: null } });

    test('O92: a name is granted alone, not with the scope that covers it, and the consent page says it', async () => {
      const answer = await signInto(flows, 'rp', { claims: askingBoth, prompt: 'consent' });
      expect(answer['scope']).toBe('openid');
      // The scopes that cover them would also give preferred_username and email_verified.
      const { sub } = await idTokenOf(answer, 'rp');
      expect(await userinfo(answer['access_token'])).toEqual({ sub, name: ALICE.name, email: ALICE.email });
      // Only what it names for the ID token.
      const found = await idTokenOf(answer, 'rp');
      expect(found).toMatchObject({ email: ALICE.email });
      expect(found).not.toHaveProperty('name');
      const browser = new Browser(running);
      const consent = await browser.signIn(
        await browser.authorize({ ...asking({ userinfo: { name: null } }), prompt: 'consent' }),
      );
      expect(wordsOf(consent)).toContain('See this about you: name');
      expect(wordsOf(consent)).not.toContain('your public profile');
      expect(wordsOf(consent)).not.toContain('email');
      // Neither the records nor the events have a value.
      expect(JSON.stringify([[...store.entries()], events])).not.toContain('Liddell');
    });

    test('O92: the names are kept with the grant: refreshed tokens and their ID tokens have them too', async () => {
      const first = await signInto(flows, 'app', { claims: askingBoth, prompt: 'consent' });
      const { status, json } = await flows.refresh('app', String(first['refresh_token']));
      expect(status).toBe(200);
      expect(await userinfo(json['access_token'])).toEqual({ sub: 'alice', name: ALICE.name, email: ALICE.email });
      const found = await idTokenOf(json, 'app');
      expect(found).toMatchObject({ email: ALICE.email });
      expect(found).not.toHaveProperty('name');
      // Another grant of the same client has none.
      const plain = await signInto(flows, 'app', { prompt: 'consent' });
      expect(await userinfo(plain['access_token'])).toEqual({ sub: 'alice' });
    });

    test('O92: names that no registered scope covers are ignored, but for those of claimNames', async () => {
      const claims = JSON.stringify({ userinfo: { name: null, email: null, groups: null, unknown: null } });
      const limited = new Flows(running, [LIMITED]);
      const answer = await signInto(limited, 'limited', { claims, prompt: 'consent' });
      expect(answer['scope']).toBe('openid');
      expect(await userinfo(answer['access_token'])).toEqual({
        sub: 'alice',
        email: ALICE.email,
        groups: ALICE.groups,
      });
      // A registration that no longer has the scope ends what it covered.
      const clients = [{ ...LIMITED, scope: 'openid' }];
      const narrowed = await host.start({ options: { ...options, issuer: running.base, clients } });
      const bearer = { authorization: `Bearer ${String(answer['access_token'])}` };
      expect((await new Client(narrowed.base).get('/oauth/userinfo', bearer)).json).toEqual({
        sub: 'alice',
        groups: ALICE.groups,
      });
      const { claims_supported } = (await flows.client.get('/.well-known/openid-configuration')).json;
      expect(claims_supported).toContain('groups');
    });

    test('O92: a remembered approval covers the names that it was given for, and no others', async () => {
      const browser = new Browser(running);
      await browser.authorizeFor({ ...asking({ userinfo: { email: null, name: null } }), prompt: 'consent' });
      const silently = async (claims: unknown) =>
        responseOf(await browser.authorize({ ...asking(claims), prompt: 'none' }));
      const { code = '' } = await silently({ userinfo: { name: null } });
      const { json } = await flows.client.post(
        '/oauth/token',
        { grant_type: 'authorization_code', code, redirect_uri: REQUEST.redirect_uri },
        basic('rp', 'rp-secret'),
      );
      // Only what this request asks for, although more was allowed.
      expect(await userinfo(json['access_token'])).toEqual({ sub: 'alice', name: ALICE.name });
      expect(await silently({})).toHaveProperty('code');
      expect(await silently({ userinfo: { email_verified: null } })).toMatchObject({ error: 'consent_required' });
      expect(await silently({ userinfo: { name: null, phone_number: null } })).toMatchObject({
        error: 'consent_required',
      });
    });

    test('O92: a remembered approval of a scope covers the single claims that it gives', async () => {
      const browser = new Browser(running);
      await browser.authorizeFor({ ...REQUEST, scope: 'openid profile', prompt: 'consent' });
      const silently = async (claims: unknown) =>
        responseOf(await browser.authorize({ ...asking(claims), prompt: 'none' }));
      expect(await silently({ userinfo: { name: null, picture: null } })).toHaveProperty('code');
      expect(await silently({ userinfo: { name: null, email: null } })).toMatchObject({ error: 'consent_required' });
    });

    test('O92: owners see single claims among their connected applications, lists and exports have them', async () => {
      const browser = new Browser(running);
      await running.grants.revoke({ sub: 'alice' });
      const asked = { ...asking({ userinfo: { name: { value: 'Alice' }, email: null } }), prompt: 'consent' };
      const { code = '' } = responseOf(await browser.authorizeFor(asked));
      const redemption = { grant_type: 'authorization_code', code, redirect_uri: REQUEST.redirect_uri };
      const { json } = await flows.client.post('/oauth/token', redemption, basic('rp', 'rp-secret'));
      // A wish for a value is no reason to withhold another.
      expect(await userinfo(json['access_token'])).toMatchObject({ name: ALICE.name });
      const words = wordsOf(await browser.open(`${running.base}/oauth/grants`));
      expect(words).toContain('See this about you: name');
      expect(words).toContain('See this about you: email');
      const { grants } = await running.grants.list({ sub: 'alice' });
      expect(grants.map(({ claims }) => claims)).toEqual([['name', 'email']]);
      const exported: { readonly type: string }[] = [];
      for await (const record of running.owners.export('alice')) exported.push(record);
      const claimsOf = (type: string) => exported.flatMap((record) => (record.type === type ? [record] : []));
      expect(claimsOf('grant')).toMatchObject([{ claims: ['name', 'email'] }]);
      expect(claimsOf('consent')).toMatchObject([{ claims: ['name', 'email'] }]);
      await running.grants.revoke({ sub: 'alice' });
      await signInto(flows, 'rp', { prompt: 'consent' });
      const [plain] = (await running.grants.list({ sub: 'alice' })).grants;
      expect(plain).not.toHaveProperty('claims');
    });

    test('O93: another user than the sub of claims never gets a code', async () => {
      const browser = new Browser(running);
      await browser.authorizeFor(REQUEST);
      const ask = (sub: string) =>
        browser.authorize({ ...asking({ id_token: { sub: { value: sub } } }), prompt: 'none' });
      expect(responseOf(await ask('bob'))).toMatchObject({ error: 'login_required' });
      expect(responseOf(await ask('alice'))).toHaveProperty('code');
      const { id_token } = await signInto(flows, 'rp');
      const both = { ...asking({ id_token: { sub: { value: 'bob' } } }), id_token_hint: String(id_token) };
      expect(responseOf(await browser.authorize(both))).toMatchObject({ error: 'login_required' });
    });

    test('O93: a sub counts at userinfo too, also if the ID token names it without a value', async () => {
      const browser = new Browser(running);
      await browser.authorizeFor(REQUEST);
      const ask = (sub: string) =>
        browser.authorize({
          ...asking({ userinfo: { sub: { value: sub } }, id_token: { sub: null } }),
          prompt: 'none',
        });
      expect(responseOf(await ask('bob'))).toMatchObject({ error: 'login_required' });
      expect(responseOf(await ask('alice'))).toHaveProperty('code');
      const alice = { sub: { value: 'alice' } };
      const twice = await browser.authorize({ ...asking({ userinfo: alice, id_token: alice }), prompt: 'none' });
      expect(responseOf(twice)).toHaveProperty('code');
    });

    test('O93: with an essential auth_time, a sign-in whose time is unknown does not do', async () => {
      const { users: _users, ...own } = options;
      let owner: { sub: string; auth_time?: number } = { sub: 'alice' };
      const other = await host.start({ options: { ...own, owner: () => owner, loginUrl: '/login' } });
      const browser = new Browser(other);
      const ask = (auth_time: unknown) => browser.authorize(asking({ id_token: { auth_time } }));
      expect((await ask(null)).status).toBe(200);
      expect((await ask({ essential: true })).headers.location).toMatch(/^\/login\?/);
      owner = { sub: 'alice', auth_time: Math.floor(clock() / 1000) };
      expect((await ask({ essential: true })).status).toBe(200);
    });

    test('O93: an essential acr that the sign-in does not have is unmet_authentication_requirements; a voluntary one is not', async () => {
      const browser = new Browser(running);
      await browser.authorizeFor(REQUEST);
      const acr = { values: ['urn:example:two-factors'] };
      const essential = await browser.authorize(asking({ id_token: { acr: { ...acr, essential: true } } }));
      expect(responseOf(essential)).toMatchObject({ error: 'unmet_authentication_requirements', state: 's' });
      const voluntary = await browser.authorize({ ...asking({ id_token: { acr } }), prompt: 'none' });
      expect(responseOf(voluntary)).toHaveProperty('code');
      // Only the ID token tells how somebody signed in (OpenID Connect Core 1.0 §5.5.1.1).
      for (const unlimited of [
        { userinfo: { acr: { ...acr, essential: true } } },
        { id_token: { acr: { essential: true } } },
      ])
        expect(responseOf(await browser.authorize({ ...asking(unlimited), prompt: 'none' }))).toHaveProperty('code');
    });

    test('O93: the sign-in page of the application receives the classes once, and decides', async () => {
      const { users: _users, ...own } = options;
      let owner: { sub: string; acr?: string } = { sub: 'alice' };
      const other = await host.start({ options: { ...own, owner: () => owner, loginUrl: '/login' } });
      const browser = new Browser(other);
      const request = asking({ id_token: { acr: { essential: true, values: ['urn:a', 'urn:b'] } } });
      const page = new URL(String((await browser.authorize(request)).headers.location), other.origin);
      expect([page.pathname, page.searchParams.get('acr_values')]).toEqual(['/login', 'urn:a urn:b']);
      const back = page.searchParams.get('return_to') ?? '';
      expect(responseOf(await browser.open(back))).toMatchObject({ error: 'unmet_authentication_requirements' });
      owner = { sub: 'alice', acr: 'urn:b' };
      const again = await browser.open(back);
      expect(again.status === 200 ? formOf(again).buttons : responseOf(again)).toEqual(
        expect.arrayContaining(['decision=approve']),
      );
    });
  },
);
