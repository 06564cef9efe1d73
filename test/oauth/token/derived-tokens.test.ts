import { generateKeyPairSync } from 'node:crypto';
import { feature, OAuthError } from 'oauth-query/feature';
import { featureServer } from 'oauth-query/testing';
import { afterEach, describe, expect, test } from 'vitest';

const DERIVE = 'urn:example:derive';
const SECRET = 'a secret of the tests, with 32 characters';
const clientOf = (client_id: string, more: object = {}) =>
  ({ client_id, client_secret: SECRET, grant_types: [DERIVE, 'client_credentials'], scope: 'read', ...more }) as const;
const as = (client_id: string) => ({
  authorization: `Basic ${Buffer.from(`${client_id}:${encodeURIComponent(SECRET)}`).toString('base64')}`,
});
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const JWT = { jwt: [{ key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }] };

let close: (() => Promise<void>) | undefined;
afterEach(async () => {
  await close?.();
  close = undefined;
});

/** A server whose grant derives a token from any other, for the client `one`, `two` or `three`, and the commands of its store. */
const site = async (options: object = {}) => {
  const commands: string[] = [];
  const rows = new Map<string, object>(['one', 'two', 'three'].map((name) => [name, clientOf(name)]));
  const server = await featureServer({
    scopes: { read: 'Read' },
    resources: { 'https://api.example': { name: 'An API' } },
    event: ({ method }) => void commands.push(method),
    clients: [{ find: (client_id: string) => rows.get(client_id) as never }], // Rows of a registry.
    features: [
      feature({
        name: 'derive',
        grantTypes: [DERIVE],
        start: ({ findToken }) => ({
          grants: {
            [DERIVE]: {
              fields: { token: 'vschar' },
              decide: async ({ form, client: { client_id } }) => {
                const from = await findToken(form.get('token') ?? '');
                if (from === undefined) throw new OAuthError('invalid_request', 'The token is not live.');
                const act = { sub: `client:${client_id}`, client_id, ...(from.act !== undefined && { act: from.act }) };
                return { from, act, scope: ['read'], resources: ['https://api.example'] };
              },
            },
          },
        }),
      }),
    ],
    ...options,
  });
  close = () => server.close();
  const ask = (token: string, client: string) => server.post('/oauth/token', { grant_type: DERIVE, token }, as(client));
  const derive = async (token: string, client: string) => {
    const { json, text } = await ask(token, client);
    return String(json?.['access_token'] ?? expect.fail(text));
  };
  const check = async (token: string) => {
    commands.length = 0;
    const { authorization } = await server.oauth.check(token, { scope: 'read', audience: ['https://api.example'] });
    return { authorization, commands: [...commands] };
  };
  return { server, derive, ask, check, rows, commands };
};

const ask = async (server: { tokens: () => Promise<Readonly<Record<string, unknown>>> }) =>
  String((await server.tokens())['access_token']);

describe.each([
  ['opaque', {}],
  ['signed', JWT],
])('derived tokens, %s', (_kind, options) => {
  test('belong to the owner and the grant of the token of the code, and a check is one command', async () => {
    const { server, derive, check } = await site(options);
    const first = await ask(server);
    const second = await derive(await derive(first, 'one'), 'two');
    const { authorization, commands } = await check(second);
    expect(authorization).toMatchObject({
      sub: 'alice',
      client_id: 'two',
      scope: 'read',
      aud: 'https://api.example',
      act: { sub: 'client:two', client_id: 'two', act: { sub: 'client:one', client_id: 'one' } },
    });
    expect(commands).toEqual(['getMany']);
    expect((await check(first)).commands).toEqual(['getMany']);
    const { grants } = await server.oauth.grants.list({ sub: 'alice' });
    expect(grants).toHaveLength(1);
    await server.oauth.grants.revoke({ grant_id: grants[0]?.grant_id ?? '' });
    expect((await check(second)).authorization).toBeUndefined();
    expect(server.errors).toEqual([]);
  });

  test('end with each token that they were derived from, and no other ends', async () => {
    const { server, derive, check } = await site(options);
    const first = await ask(server);
    const middle = await derive(first, 'one');
    const [left, right] = [await derive(middle, 'two'), await derive(middle, 'three')];
    const below = await derive(left, 'three');
    await server.post('/oauth/revoke', { token: left }, as('two'));
    expect((await check(below)).authorization).toBeUndefined();
    expect((await check(right)).authorization).toBeDefined();
    await server.post('/oauth/revoke', { token: middle }, as('one'));
    expect((await check(right)).authorization).toBeUndefined();
    const again = await derive(first, 'one');
    await server.post('/oauth/revoke', { token: first });
    expect((await check(again)).authorization).toBeUndefined();
    expect(server.errors).toEqual([]);
  });

  test('end with each client through whose hands they went', async () => {
    for (const change of [
      { disabled: true },
      { tokens_valid_after: Math.floor(Date.now() / 1000) + 5 },
      { generation: 1 },
    ]) {
      for (const name of ['one', 'two']) {
        const { server, derive, check, rows } = await site(options);
        const last = await derive(await derive(await derive(await ask(server), 'one'), 'two'), 'three');
        expect((await check(last)).authorization).toBeDefined();
        rows.set(name, clientOf(name, change));
        expect((await check(last)).authorization, `${name} ${JSON.stringify(change)}`).toBeUndefined();
        rows.delete(name);
        expect((await check(last)).authorization).toBeUndefined();
        await server.close();
      }
    }
    close = undefined;
  });

  test('of a token of a client itself end with that client, and need no grant', async () => {
    const { server, derive, check, rows } = await site(options);
    const form = { grant_type: 'client_credentials', scope: 'read' };
    const own = String((await server.post('/oauth/token', form, as('one'))).json?.['access_token']);
    const last = await derive(await derive(own, 'two'), 'three');
    const { authorization, commands } = await check(last);
    expect(authorization).toMatchObject({ sub: 'client:one', client_id: 'three' });
    expect(commands).toEqual(['getMany']);
    await server.post('/oauth/revoke', { token: own }, as('one'));
    expect((await check(last)).authorization).toBeUndefined();
    const another = String((await server.post('/oauth/token', form, as('one'))).json?.['access_token']);
    const derived = await derive(another, 'two');
    rows.set('one', clientOf('one', { disabled: true }));
    expect((await check(derived)).authorization).toBeUndefined();
  });

  test('live no longer than their parent, and eight times at most', async () => {
    const { server, derive, check, ask: asked } = await site(options);
    let token = await ask(server);
    server.advance(3590);
    for (let count = 0; count < 8; count += 1) token = await derive(token, count % 2 === 0 ? 'one' : 'two');
    const { authorization } = await check(token);
    expect((authorization?.exp ?? 0) - (authorization?.iat ?? 0)).toBeLessThanOrEqual(10);
    expect(await asked(token, 'one')).toMatchObject({ status: 500 });
    expect(String(server.errors.splice(0))).toMatch(/fewer than 8 ancestors/);
    server.advance(11);
    expect((await check(token)).authorization).toBeUndefined();
  });

  test('are not accepted with other ancestors', async () => {
    const { server, derive, check } = await site(options);
    const token = await derive(await ask(server), 'one');
    if (!token.includes('.o')) return; // A signed one is not changed so easily.
    const [secret = '', ancestor = ''] = token.split('.');
    for (const text of [secret, `${secret}.`, `${token}.${ancestor}`, `${secret}.s${ancestor.slice(1)}`, `${token}~`])
      expect((await check(text)).authorization, text).toBeUndefined();
  });

  test('are refused where nobody may act for the owner', async () => {
    const { server, derive } = await site(options);
    const token = await derive(await ask(server), 'one');
    const audience = ['https://api.example'];
    const { authorization } = await server.oauth.check(token, { scope: 'read', audience });
    expect(authorization).toBeDefined();
    const { refused } = await server.oauth.check(token, { scope: 'read', audience, act: 'refuse' });
    expect(refused).toMatchObject({ status: 403, error: 'insufficient_scope' });
  });
});

test('a token is only derived from what the server has found', async () => {
  const live = {
    id: 'o',
    client_id: 'web',
    sub: 'alice',
    isOfClient: false,
    isSigned: false,
    scope: ['read'],
    resources: [],
  };
  const from = { ...live, exp: Date.now(), ancestors: 0, claims: {} };
  const forging = feature({
    name: 'derive',
    grantTypes: [DERIVE],
    start: () => ({
      grants: { [DERIVE]: { fields: {}, decide: () => ({ from, scope: ['read'], resources: [] }) } },
    }),
  });
  const { server, ask: asked } = await site({ features: [forging] });
  expect(await asked('any', 'one')).toMatchObject({ status: 500 });
  expect(String(server.errors.splice(0))).toMatch(/host\.findToken/);
});
