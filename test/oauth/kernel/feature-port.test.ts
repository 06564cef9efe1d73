import { afterAll, describe, expect, test } from 'vitest';
import { OAuthError } from '../../../src/core/base/errors.js';
import { feature } from '../../../src/core/feature/feature.js';
import type { Parts } from '../../../src/core/feature/parts.js';
import { basic, bearer, Client, hostFor, useHost } from '../../hosts.js';
import { everyRow } from '../../rows.js';
import { Browser, PKCE, responseOf } from '../support/browser.js';
import { fixture } from '../support/fixture.js';
import { Flows } from '../support/tokens.js';

const featureOf = (parts: Parts, keepsSignIn = true) =>
  feature({ name: 'known', scopes: { known: 'Be known' }, keepsSignIn, start: () => parts });

const REQUEST = {
  client_id: 'web',
  response_type: 'code',
  redirect_uri: 'https://app.example/cb',
  scope: 'profile',
  ...PKCE.request,
} as const;

describe.each(hostFor(import.meta.url))('how an owner signed in, on $name', (host) => {
  let owner: object | undefined;
  const own = { owner: () => owner as { readonly sub: string }, loginUrl: '/login' } as const;
  const { options, errors, store, clock } = fixture({ ...own, features: [featureOf({})] });
  const without = fixture(own);
  const hosts = [options, without.options].map(({ users: _users, ...rest }) => useHost(host, { options: rest }));
  afterAll(() => expect([...errors, ...without.errors]).toEqual([]));
  const seconds = Math.floor(clock() / 1000);
  const introspected = async (at: number) => {
    const running = hosts[at] ?? expect.fail();
    const flows = new Flows(running);
    const { code = '' } = responseOf(await new Browser(running).authorizeFor(REQUEST));
    const { access_token } = (await flows.redeem('web', code)).json;
    return (await flows.introspect(String(access_token))).json;
  };

  test('O33, O74: auth_time and acr are kept with the grant, and shown by introspection', async () => {
    owner = { sub: 'alice', auth_time: seconds - 100.5, acr: 'urn:example:two', amr: ['pwd', 'otp'], other: 1 };
    expect(await introspected(0)).toMatchObject({ auth_time: seconds - 101, acr: 'urn:example:two' });
    const kept = JSON.stringify([...store.entries()]);
    expect(kept).toContain('"amr":["pwd","otp"]');
  });

  test('O1, O73: without a feature that reads them they are not even looked at, and nothing is stored', async () => {
    owner = { sub: 'alice', auth_time: 'never', acr: 7, amr: 'pwd' };
    expect(Object.keys(await introspected(1))).toEqual([
      ...['active', 'sub', 'client_id', 'scope', 'aud', 'iss', 'exp', 'iat', 'token_type'],
    ]);
    expect(JSON.stringify([...without.store.entries()])).not.toMatch(/"(?:auth_time|acr|amr)"/);
    owner = { sub: 'alice', authTime: seconds };
    await introspected(1);
    owner = { sub: 'alice', userName: 'Alice' };
    const refused = await new Browser(hosts[1] ?? expect.fail()).authorize(REQUEST);
    expect(responseOf(refused)).toMatchObject({ error: 'server_error' });
    expect(without.errors.splice(0).map(String)).toEqual([expect.stringMatching(/userName.*Its name is username/)]);
  });

  test('O33: a wrong answer of the application is reported, and the client gets server_error', async () => {
    const running = hosts[0] ?? expect.fail();
    await everyRow(
      [
        [{ auth_time: seconds + 61 }, /future/],
        [{ auth_time: clock() }, /milliseconds/],
        [{ auth_time: '5' }, /auth_time/],
        [{ auth_time: Number.NaN }, /auth_time/],
        [{ auth_time: -1 }, /auth_time/],
        [{ acr: '' }, /acr/],
        [{ acr: 'x'.repeat(257) }, /acr/],
        [{ amr: 'pwd' }, /amr/],
        [{ amr: Array.from({ length: 17 }, () => 'pwd') }, /amr/],
        [{ amr: [''] }, /amr/],
        [{ authTime: seconds }, /options\.owner returned authTime.*Its name is auth_time/],
        [{ 'auth-time': seconds }, /auth-time.*Its name is auth_time/],
        [{ auth_tme: seconds }, /auth_tme.*Its name is auth_time/],
        [{ userName: 'Alice' }, /userName.*Its name is username/],
        [{ user_name: 'Alice' }, /user_name.*Its name is username/],
        [{ ACR: 'urn:example:two' }, /ACR.*Its name is acr/],
        [{ Amr: ['pwd'] }, /Amr.*Its name is amr/],
      ] as const,
      async ([facts, problem]) => {
        owner = { sub: 'alice', ...facts };
        expect(responseOf(await new Browser(running).authorize(REQUEST))).toMatchObject({ error: 'server_error' });
        expect(errors).toEqual([expect.objectContaining({ code: 'OQ402' })]);
        expect(String(errors.splice(0))).toMatch(problem);
      },
    );
    // Fields of a row that have nothing to do with it, and another spelling next to the right one.
    const row = {
      acl: 'all',
      auth_type: 'ldap',
      surname: 'A',
      lastname: 'B',
      nickname: 'C',
      name: 'D',
      arm: 1,
      sup: 2,
    };
    owner = { sub: 'alice', ...row, auth_time: seconds, authTime: new Date(0), username: 'alice', userName: 'Alice' };
    expect(await new Browser(running).authorize(REQUEST)).toMatchObject({ status: 200 });
    owner = { sub: 'alice', auth_time: null, acr: null, amr: null };
    expect(await new Browser(running).authorize(REQUEST)).toMatchObject({ status: 200 });
  });
});

describe.each(hostFor(`${import.meta.url}2`))('the session of the built-in sign-in on $name', (host) => {
  const { options, errors, advance, clock } = fixture({ features: [featureOf({})] });
  const running = useHost(host, { options }, errors);

  test('O24, O25, O34: it says when it began and that a password was used, for as long as it lasts', async () => {
    const browser = new Browser(running);
    const flows = new Flows(running);
    const began = Math.floor(clock() / 1000);
    const seen = async () => {
      const { code = '' } = responseOf(await browser.authorizeFor(REQUEST));
      const { access_token } = (await flows.redeem('web', code)).json;
      return (await flows.introspect(String(access_token))).json['auth_time'];
    };
    expect(await seen()).toBe(began);
    advance(100);
    expect(await seen()).toBe(began);
    const records: unknown[] = [];
    for await (const record of running.owners.export('alice')) records.push(record);
    expect(records).toContainEqual(expect.objectContaining({ type: 'grant', auth_time: began, amr: ['pwd'] }));
  });
});

describe.each(hostFor(`${import.meta.url}3`))('the hooks of features on $name', (host) => {
  const asked: unknown[] = [];
  const parts: Parts = {
    authorization: {
      parameters: { memo: 'vschar' },
      readRequest: ({ form }) => {
        const memo = form.get('memo');
        if (memo === 'bad') throw new OAuthError('invalid_request', 'The memo is bad.');
        return memo === undefined ? {} : { kept: { memo } };
      },
      askedScope: ({ scopes, grant_type }) => {
        if (scopes.includes('known') && grant_type === 'client_credentials')
          throw new OAuthError('invalid_scope', 'Nobody is there to be known.');
        return scopes.filter((scope) => scope !== 'unheard');
      },
    },
    tokens: {
      fields: ({ grant_type, scope, kept }, { access_token, iat }) => {
        asked.push({ grant_type, scope, kept, iat });
        return { about: access_token.slice(-5), token_type: 'overruled' };
      },
    },
    metadata: (issuer) => ({ about_endpoint: `${issuer}/about` }),
    keys: async () => [{ kid: 'one', kty: 'OKP' }],
  };
  const { options, errors } = fixture({
    features: [featureOf(parts, false)],
    clients: [{ client_id: 'own', client_secret: 'own-secret', grant_types: ['client_credentials'] }],
  });
  const running = useHost(host, { options }, errors);
  const flows = new Flows(running);

  test('what a feature keeps of a request is there when the code is redeemed, and only then', async () => {
    const code = await flows.code('web', { memo: 'a memo, "quoted"' });
    const first = (await flows.redeem('web', code)).json;
    expect(first).toMatchObject({ about: String(first['access_token']).slice(-5), token_type: 'Bearer' });
    const second = (await flows.refresh('web', String(first['refresh_token']))).json;
    expect(second).toMatchObject({ about: String(second['access_token']).slice(-5), token_type: 'Bearer' });
    expect(asked).toMatchObject([
      { grant_type: 'authorization_code', kept: { memo: 'a memo, "quoted"' } },
      { grant_type: 'refresh_token', kept: {} },
    ]);
    expect(responseOf(await flows.authorize('web', { memo: 'bad' }))).toMatchObject({ error: 'invalid_request' });
  });

  test('scopes of a feature are known, never granted by default, and a feature may drop or refuse some', async () => {
    const post = (scope: Record<string, string>) =>
      flows.client.post('/oauth/token', { grant_type: 'client_credentials', ...scope }, basic('own', 'own-secret'));
    expect((await post({})).json['scope']).toBe('profile content.read content.write highvolume');
    expect((await post({ scope: 'known' })).json).toMatchObject({ error: 'invalid_scope' });
    expect((await post({ scope: 'profile unheard' })).json['scope']).toBe('profile');
  });

  test('metadata and keys of a feature are published', async () => {
    const client = new Client(running.base);
    for (const path of ['oauth-authorization-server', 'openid-configuration'])
      expect((await client.get(`/.well-known/${path}`)).json['about_endpoint']).toBe(`${running.base}/about`);
    expect((await client.get('/oauth/jwks')).json).toEqual({ keys: [{ kid: 'one', kty: 'OKP' }] });
    expect((await client.get('/oauth/jwks', bearer('x'))).headers['access-control-allow-origin']).toBe('*');
    await expect(host.start({ options: { ...options, metadata: { about_endpoint: 'x' } } })).rejects.toThrow(
      /options.metadata.about_endpoint is set by the server/,
    );
  });
});
