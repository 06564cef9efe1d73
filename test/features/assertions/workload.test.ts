import { type AssertionIssuer, assertions } from 'oauth-query/assertions';
import { dpop } from 'oauth-query/dpop';
import { featureServer } from 'oauth-query/testing';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ProofMaker } from '../dpop/keys.js';
import { JWT_BEARER, part, Signer } from './support.js';

const SECRET = 'a secret of the tests, with 32 characters';
const API = 'https://api.example';
const SUB = 'system:serviceaccount:prod:batch';
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

const BATCH = {
  client_id: 'batch',
  token_endpoint_auth_method: 'private_key_jwt',
  grant_types: [JWT_BEARER, 'client_credentials'],
  scope: 'read write',
  default_scope: 'read',
} as const;
const NIGHTLY = { ...BATCH, client_id: 'nightly' } as const;
const APP = { client_id: 'app', client_secret: SECRET, grant_types: [JWT_BEARER], scope: 'read' } as const;
const PAGE = {
  client_id: 'page',
  grant_types: [JWT_BEARER],
  redirect_uris: ['https://page.example/'],
  scope: 'read',
} as const;
const CLIENTS = [BATCH, NIGHTLY, APP, PAGE];

const basicOf = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${id}:${encodeURIComponent(secret)}`).toString('base64')}`;

let cluster: Signer;
beforeAll(async () => {
  cluster = await Signer.make('https://cluster.example', 'RS256');
});

let close: (() => Promise<void>) | undefined;
afterEach(async () => {
  await close?.();
  close = undefined;
});

type Form = Record<string, string>;

/** A server that trusts one cluster, and requests without any credentials. */
const site = async (entry: Partial<AssertionIssuer> = {}) => {
  const clients = { [SUB]: 'batch', 'app-sub': 'app', 'page-sub': 'page', 'nobody-sub': 'nobody' };
  const server = await featureServer({
    scopes: { read: 'Read', write: 'Write' },
    resources: { [API]: { name: 'The API' } },
    clients: [{ find: (client_id) => CLIENTS.find((one) => one.client_id === client_id) }],
    features: [dpop(), assertions({ issuers: [cluster.entry({ kind: 'workload', clients, ...entry })] })],
  });
  close = async () => {
    expect(server.errors).toEqual([]);
    await server.close();
  };
  const made = (claims: Record<string, unknown> = {}, header: Record<string, unknown> = {}) =>
    cluster.sign({ ...cluster.claims(server.issuer), sub: SUB, ...claims }, header);
  const post = (form: Form, headers: Record<string, string> = {}) => server.post('/oauth/token', form, headers);
  const grant = (assertion: string, more: Form = {}, headers: Record<string, string> = {}) =>
    post({ grant_type: JWT_BEARER, assertion, ...more }, headers);
  const authenticated = (statement: string, more: Form = {}) =>
    post({
      grant_type: 'client_credentials',
      client_assertion_type: ASSERTION_TYPE,
      client_assertion: statement,
      ...more,
    });
  return { server, made, post, grant, authenticated };
};

const wrong = (error: string, status = 400) => ({ status, json: { error } });

describe('a statement about a program', () => {
  test('is a token of the client itself, without other credentials, until it expires', async () => {
    const { server, made, grant } = await site();
    const assertion = await made();
    const { status, json } = await grant(assertion, { resource: API });
    expect([status, json]).toMatchObject([200, { scope: 'read', token_type: 'Bearer', expires_in: 900 }]);
    expect(json).not.toHaveProperty('refresh_token');
    const { authorization } = await server.oauth.check(String(json?.['access_token']), {
      scope: 'read',
      resource: API,
    });
    expect(authorization).toMatchObject({ sub: 'client:batch', client_id: 'batch', scope: 'read' });
    expect((await server.oauth.grants.list({ client_id: 'batch' })).grants).toEqual([]);
    expect((await grant(assertion)).status).toBe(200);
    server.advance(331);
    expect(await grant(assertion)).toMatchObject(wrong('invalid_grant'));
  });

  test('works once with use: "once", which needs a jti', async () => {
    const { made, grant } = await site({ use: 'once' });
    const assertion = await made();
    const answers = await Promise.all(Array.from({ length: 10 }, () => grant(assertion)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await grant(await made({ jti: undefined }))).toMatchObject(wrong('invalid_grant'));
  });

  test('names the client that may send it, and no other', async () => {
    const { made, grant } = await site();
    expect((await grant(await made(), { client_id: 'batch' })).status).toBe(200);
    expect(await grant(await made(), { client_id: 'nightly' })).toMatchObject(wrong('invalid_request'));
    // Credentials of a client that are right, and those that are wrong.
    const app = basicOf('app', SECRET);
    expect((await grant(await made({ sub: 'app-sub' }))).status).toBe(200);
    expect((await grant(await made({ sub: 'app-sub' }), {}, { authorization: app })).status).toBe(200);
    expect(await grant(await made(), {}, { authorization: app })).toMatchObject(wrong('invalid_grant'));
    for (const authorization of [basicOf('app', 'x'), basicOf('batch', 'x'), basicOf('batch', ''), 'Bearer x'])
      expect(await grant(await made({ sub: 'app-sub' }), {}, { authorization })).toMatchObject(
        wrong('invalid_client', 401),
      );
    expect(await grant(await made(), { client_id: 'batch', client_secret: 'x' })).toMatchObject(
      wrong('invalid_client', 401),
    );
  });

  test.each([
    ['a sub that begins like another', `${SUB}-evil`, 'invalid_grant', 400],
    ['a beginning of a sub', SUB.slice(0, -1), 'invalid_grant', 400],
    ['a name of every object', 'constructor', 'invalid_grant', 400],
    ['a client that does not exist', 'nobody-sub', 'invalid_client', 401],
    ['a public client', 'page-sub', 'invalid_client', 401],
  ])('is refused for %s', async (_name, sub, error, status) => {
    const { made, grant } = await site();
    expect(await grant(await made({ sub }))).toMatchObject(wrong(error, status));
  });

  test('a public client gets nothing with an empty secret either', async () => {
    const { made, grant } = await site();
    const headers = { authorization: basicOf('page', '') };
    expect(await grant(await made({ sub: 'page-sub' }), {}, headers)).toMatchObject(wrong('unauthorized_client'));
  });

  test('may do what its client is registered for, whatever the platform says about scopes', async () => {
    const { made, grant } = await site();
    expect(await grant(await made({ scope: 'openid', resource: 'x' }), { scope: 'write' })).toMatchObject({
      status: 200,
      json: { scope: 'write' },
    });
    expect(await grant(await made(), { scope: 'other' })).toMatchObject(wrong('invalid_scope'));
    expect(await grant(await made(), { resource: 'https://other.example' })).toMatchObject(wrong('invalid_target'));
  });

  test('is for the URL of the token endpoint or for the issuer', async () => {
    const { server, made, grant } = await site();
    for (const aud of [server.issuer, `${server.issuer}/`, [server.issuer], `${server.issuer}/oauth/token`])
      expect((await grant(await made({ aud }))).status).toBe(200);
    for (const aud of [[server.issuer, server.issuer], `${server.issuer}/oauth`, 'kubernetes'])
      expect(await grant(await made({ aud }))).toMatchObject(wrong('invalid_grant'));
  });

  test('can be mapped by a function, whose failure is 503 and uses nothing up', async () => {
    let answer: () => unknown = () => {
      throw new Error('The directory is away.');
    };
    const asked: unknown[] = [];
    const { server, made, grant } = await site({
      use: 'once',
      clients: (claims, context) => {
        asked.push([claims['team'], context]);
        return answer() as string;
      },
    });
    const assertion = await made({ team: 'blue' });
    for (const wrongAnswer of [answer, () => 17, () => ({ client_id: 'batch' })]) {
      answer = wrongAnswer;
      expect(await grant(assertion)).toMatchObject(wrong('temporarily_unavailable', 503));
    }
    expect(server.errors.splice(0)).toHaveLength(3);
    answer = () => null;
    expect(await grant(assertion)).toMatchObject(wrong('invalid_grant'));
    answer = () => 'batch';
    asked.length = 0;
    expect((await grant(assertion)).status).toBe(200);
    expect(asked).toEqual([['blue', { issuer: 'https://cluster.example' }]]);
  });

  test('binds the token to the key of a proof, and needs the one in its cnf', async () => {
    const { server, made, grant } = await site();
    const proofs = new ProofMaker();
    const proof = () => ({
      dpop: proofs.proof({ method: 'POST', url: `${server.issuer}/oauth/token`, iat: Math.floor(Date.now() / 1000) }),
    });
    const bound = { cnf: { jkt: proofs.jkt } };
    expect(await grant(await made(bound))).toMatchObject(wrong('invalid_grant'));
    expect(await grant(await made(bound), {}, proof())).toMatchObject({ status: 200, json: { token_type: 'DPoP' } });
  });

  test('is refused if it is older than the end of the tokens of its client', async () => {
    const { server, made, grant, authenticated } = await site();
    const before = await made();
    expect((await grant(before)).status).toBe(200);
    await server.oauth.grants.revoke({ client_id: 'batch' });
    expect(await grant(before)).toMatchObject(wrong('invalid_grant'));
    expect(await authenticated(before)).toMatchObject(wrong('invalid_client', 401));
    server.advance(2);
    const iat = Math.floor(Date.now() / 1000) + 2;
    expect((await grant(await made({ iat, exp: iat + 60 }))).status).toBe(200);
  });
});

describe('what nobody vouches for looks the same', () => {
  test('without credentials, whoever is named as its issuer', async () => {
    const { server, made, grant } = await site();
    const [head = '', , signature = ''] = (await made()).split('.');
    const other = await Signer.make('https://other.example');
    const claims = { ...cluster.claims(server.issuer), sub: SUB };
    const body = (more: object): string => `${head}.${part({ ...claims, ...more })}.${signature}`;
    const all = ['text', body({ sub: 'app-sub' }), body({ iss: 'https://x.example' }), await other.sign(claims)];
    const texts = new Set<string>();
    for (const assertion of all)
      for (const form of [{}, { client_id: 'batch' }]) texts.add((await grant(assertion, form)).text);
    expect([...texts]).toHaveLength(1);
    expect([...texts][0]).toContain('invalid_grant');
  });

  test('and after ten of them, an address has to wait', async () => {
    const { made, grant } = await site();
    const [head = '', body = ''] = (await made()).split('.');
    const statuses: number[] = [];
    for (let count = 0; count < 12; count += 1) statuses.push((await grant(`${head}.${body}.AAAA`)).status);
    expect(statuses.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 400));
    expect(statuses.slice(-1)).toEqual([429]);
    // Others behind the same address go on working.
    expect((await grant(await made())).status).toBe(200);
  });
});

describe('the same statement as client authentication', () => {
  test('works for every grant of the client, at introspection and at revocation', async () => {
    const { server, made, authenticated } = await site();
    const { status, json } = await authenticated(await made(), { scope: 'write' });
    expect([status, json]).toMatchObject([200, { scope: 'write' }]);
    const token = String(json?.['access_token']);
    const form = { token, client_assertion_type: ASSERTION_TYPE, client_assertion: await made() };
    expect(await server.post('/oauth/introspect', form, {})).toMatchObject({
      status: 200,
      json: { active: true, client_id: 'batch' },
    });
    expect((await server.post('/oauth/revoke', form, {})).status).toBe(200);
    expect((await server.oauth.check(token, { scope: 'write' })).authorization).toBeUndefined();
  });

  test('names our issuer in its own spelling, and nothing else', async () => {
    const { server, made, authenticated } = await site();
    expect((await authenticated(await made({ aud: [server.issuer] }))).status).toBe(200);
    for (const aud of [`${server.issuer}/`, `${server.issuer}/oauth/token`, [server.issuer, 'x'], []]) {
      server.advance(7);
      expect(await authenticated(await made({ aud }))).toMatchObject(wrong('invalid_client', 401));
    }
  });

  test('is refused for another client, another type, a second way, and a wrong signature', async () => {
    const { made, authenticated } = await site();
    expect(await authenticated(await made(), { client_id: 'nightly' })).toMatchObject(wrong('invalid_request'));
    const type = 'urn:ietf:params:oauth:client-assertion-type:';
    for (const client_assertion_type of [`${type}jwt-spiffe`, `${type}saml2-bearer`])
      expect(await authenticated(await made(), { client_assertion_type })).toMatchObject(wrong('invalid_client', 401));
    expect(await authenticated(await made(), { client_secret: SECRET })).toMatchObject(wrong('invalid_request'));
    const unsigned = (await made()).replace(/\.[^.]*$/, '.AAAA');
    const unknown = await (await Signer.make('https://other.example')).sign({ iss: 'https://other.example', sub: SUB });
    const texts = [unsigned, unknown].map(async (one) => (await authenticated(one, { client_id: 'batch' })).text);
    expect(new Set(await Promise.all(texts)).size).toBe(1);
    expect(await authenticated(await made({ sub: 'unknown' }))).toMatchObject(wrong('invalid_client', 401));
    expect(await authenticated(await made({ iss: SUB }))).toMatchObject(wrong('invalid_client', 401));
    // An issuer is not a client.
    expect(await authenticated(await made({ sub: 'https://cluster.example' }))).toMatchObject(
      wrong('invalid_client', 401),
    );
  });

  test('is used up with use: "once", at whatever endpoint it was', async () => {
    const { made, authenticated, grant } = await site({ use: 'once' });
    const statement = await made();
    expect((await authenticated(statement)).status).toBe(200);
    expect(await authenticated(statement)).toMatchObject(wrong('invalid_client', 401));
    expect(await grant(statement)).toMatchObject(wrong('invalid_grant'));
  });
});

test('a client for which nobody vouches in this request is good for nothing', async () => {
  const { server, post } = await site();
  const forms: readonly Form[] = [
    { grant_type: 'client_credentials', client_id: 'batch' },
    { grant_type: 'client_credentials', client_id: 'batch', client_secret: '' },
    { grant_type: 'client_credentials', client_id: 'batch', client_secret: 'x' },
    {
      grant_type: 'client_credentials',
      client_id: 'batch',
      client_assertion_type: ASSERTION_TYPE,
      client_assertion: 'x',
    },
    { grant_type: 'refresh_token', refresh_token: 'x', client_id: 'batch' },
    { grant_type: 'authorization_code', code: 'x', client_id: 'batch' },
  ];
  for (const form of forms) expect([form, await post(form)]).toMatchObject([form, wrong('invalid_client', 401)]);
  server.advance(61);
  expect(await post({ grant_type: JWT_BEARER, client_id: 'batch' })).toMatchObject(wrong('invalid_request'));
  for (const headers of [basicOf('batch', ''), basicOf('batch', 'undefined')])
    expect(await post({ grant_type: 'client_credentials' }, { authorization: headers })).toMatchObject(
      wrong('invalid_client', 401),
    );
  for (const path of ['/oauth/introspect', '/oauth/revoke', '/oauth/device'])
    expect([path, (await server.post(path, { token: 'x', client_id: 'batch' }, {})).status]).toEqual([path, 401]);
  const query = new URLSearchParams({ response_type: 'code', client_id: 'batch', redirect_uri: 'https://x.example/' });
  expect((await server.get(`/oauth/authorize?${query}`)).status).toBe(400);
});
