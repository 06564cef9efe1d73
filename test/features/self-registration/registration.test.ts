import { selfRegistration } from 'oauth-query/self-registration';
import { describe, expect, test } from 'vitest';
import { LIMIT } from '../../../src/features/self-registration/registrations.js';
import {
  type Answer,
  bearer,
  Client,
  eachFramework,
  hostFor,
  oneHostEach,
  type RunningHost,
  useHost,
} from '../../hosts.js';
import { Browser, PKCE, responseOf, wordsOf } from '../../oauth/support/browser.js';
import { fixture } from '../../oauth/support/fixture.js';
import { constantsOfSuite } from '../../oauth/support/limits.js';
import { refusal, register } from '../../oauth/support/tokens.js';
import { everyRow } from '../../rows.js';

const CLAUDE = {
  client_name: 'Claude',
  redirect_uris: ['https://claude.example/api/mcp/auth_callback'],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
  scope: 'profile content.read',
} as const;

const registered = async (base: string, metadata: unknown = CLAUDE): Promise<string> => {
  const answer = await register(base, metadata);
  expect(answer.status, answer.text).toBe(201);
  return String(answer.json['client_id']);
};

const requestOf = (client_id: string, redirect_uri: string = CLAUDE.redirect_uris[0]) => ({
  response_type: 'code',
  client_id,
  redirect_uri,
  state: 'xyz',
  ...PKCE.request,
});

const tokensOf = async (host: RunningHost, client_id: string, more: object = {}): Promise<Record<string, unknown>> => {
  const { code = '' } = responseOf(await new Browser(host).authorizeFor({ ...requestOf(client_id), ...more }));
  const answer = await new Client(host.base).post('/oauth/token', {
    grant_type: 'authorization_code',
    code,
    client_id,
    redirect_uri: CLAUDE.redirect_uris[0],
    code_verifier: PKCE.verifier,
  });
  expect(answer.status, answer.text).toBe(200);
  return answer.json;
};

const refresh = (base: string, client_id: string, refresh_token: unknown): Promise<Answer> =>
  new Client(base).post('/oauth/token', {
    grant_type: 'refresh_token',
    client_id,
    refresh_token: String(refresh_token),
  });

describe.each(eachFramework)('$name', ({ start, mount }) => {
  const { options, store, events, errors } = fixture({ features: [selfRegistration()] });

  const host = useHost({ start }, { options }, errors);

  test('#114 M40 registers a client and returns its metadata (RFC 7591 §3.2.1), without storing anything', async () => {
    const answer = await register(host.base, { ...CLAUDE, logo_uri: 'https://claude.example/logo.png', extra: [1] });
    expect(answer.status).toBe(201);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(answer.headers['cache-control']).toBe('no-store');
    const { client_id, client_id_issued_at, ...metadata } = answer.json;
    expect(client_id).toMatch(/^reg\.[\w-]{100,1496}$/);
    expect(client_id_issued_at).toBe(Math.floor(options.runtime!.clock!() / 1000));
    expect(metadata).toEqual(CLAUDE);
    expect(store.size).toBe(0);
    expect(events.at(-1)).toMatchObject({
      type: 'client.registered',
      outcome: 'success',
      client_id,
      registration_id: String(client_id).slice(4, 20),
      client_name: 'Claude',
      redirect_uris: CLAUDE.redirect_uris,
    });
  });

  test('M40 a body that is not a JSON object is invalid_client_metadata', async () => {
    // Where a parser of the host comes first, it answers what cannot be parsed.
    const unparsable = mount === 'parser' ? [] : ['', '{', '{"redirect_uris":["https://a.example"]', 'null', '"text"'];
    for (const body of ['[]', '[{}]', ...unparsable])
      expect(refusal(await register(host.base, body)), body).toEqual([400, 'invalid_client_metadata']);
    const form = await register(host.base, 'redirect_uris=https://a.example', {
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect(refusal(form)).toEqual([400, 'invalid_client_metadata']);
    if (mount === 'parser') return;
    expect(refusal(await register(host.base, `{"x":"${'x'.repeat(70_000)}"}`))).toEqual([
      413,
      'invalid_client_metadata',
    ]);
  });

  test('M40 the endpoint only accepts POST', async () => {
    const answer = await new Client(host.base).get('/oauth/register');
    expect([answer.status, answer.headers.allow]).toEqual([405, 'POST']);
  });
});

describe.each(hostFor(import.meta.url))('a registered client at $name', ({ start }) => {
  const { options, errors } = fixture({ features: [selfRegistration()] });

  const host = useHost({ start }, { options }, errors);

  test('M40 is in the metadata', async () => {
    const { json } = await new Client(host.base).get('/.well-known/oauth-authorization-server');
    expect(json['registration_endpoint']).toBe(`${host.base}/oauth/register`);
  });

  test('M43 gets tokens with PKCE, passes a guard, refreshes, and loses everything by a replay', async () => {
    const client_id = await registered(host.base);
    const tokens = await tokensOf(host, client_id);
    expect(tokens['scope']).toBe('profile content.read');
    const guarded = await new Client(host.origin).get('/guarded/profile', bearer(String(tokens['access_token'])));
    expect(guarded.json['auth']).toMatchObject({ client_id });
    const next = await refresh(host.base, client_id, tokens['refresh_token']);
    expect(next.status).toBe(200);
    expect(next.json['refresh_token']).not.toBe(tokens['refresh_token']);
    const after = await refresh(host.base, client_id, next.json['refresh_token']);
    expect(after.status).toBe(200);
    expect(refusal(await refresh(host.base, client_id, tokens['refresh_token']))).toEqual([400, 'invalid_grant']);
    expect(refusal(await refresh(host.base, client_id, after.json['refresh_token']))).toEqual([400, 'invalid_grant']);
  });

  test('can request more than it has registered, so that it can step up without registering again', async () => {
    const client_id = await registered(host.base);
    const tokens = await tokensOf(host, client_id, { scope: 'profile content.write' });
    expect(tokens['scope']).toBe('profile content.write');
  });

  test('M26 must send a challenge, with S256', async () => {
    const client_id = await registered(host.base, { ...CLAUDE, code_challenge_methods: ['plain'] });
    const browser = new Browser(host);
    const { code_challenge: _, code_challenge_method: __, ...bare } = requestOf(client_id);
    expect(responseOf(await browser.authorize(bare))['error']).toBe('invalid_request');
    for (const method of ['plain', 'S512', ''])
      expect(
        responseOf(await browser.authorize({ ...requestOf(client_id), code_challenge_method: method }))['error'],
      ).toBe('invalid_request');
  });

  test('M27 is redirected to exactly its registered URIs, on loopback at any port', async () => {
    const browser = new Browser(host);
    const web = await registered(host.base);
    for (const uri of [
      'https://claude.example/other',
      'https://claude.example/api/mcp/auth_callback/',
      'http://127.0.0.1/',
    ])
      expect((await browser.authorize(requestOf(web, uri))).status).toBe(400);
    const native = await registered(host.base, { redirect_uris: ['http://127.0.0.1:33418/cb'] });
    expect((await browser.authorize(requestOf(native, 'http://127.0.0.1:50000/cb'))).status).toBe(200);
    expect((await browser.authorize(requestOf(native, 'http://127.0.0.1:50000/other'))).status).toBe(400);
  });

  test('M32 the page shows where the decision leads, and that the name is the client’s own claim', async () => {
    const browser = new Browser(host);
    const client_id = await registered(host.base, { ...CLAUDE, client_name: 'Your bank' });
    const page = wordsOf(await browser.signIn(await browser.authorize(requestOf(client_id))));
    expect(page).toContain('This application registered itself, so its name is not verified.');
    expect(page).toContain('Only allow this if you trust claude.example.');
    expect(page).toContain('you return to claude.example .');
    expect(page).not.toContain('just started');
    const operator = await browser.authorize({ ...requestOf('spa', 'https://spa.example/cb') });
    expect(wordsOf(operator)).not.toContain('gave itself');
  });

  test('M33 the page warns of a client with only loopback redirect URIs', async () => {
    const browser = new Browser(host);
    const redirect_uris = ['http://127.0.0.1:33418/cb', 'http://localhost:33418/cb'];
    const client_id = await registered(host.base, { client_name: 'Editor', redirect_uris });
    const page = wordsOf(await browser.signIn(await browser.authorize(requestOf(client_id, redirect_uris[0]))));
    expect(page).toContain('Only allow this if you have just started the application on this computer.');
    expect(page).not.toContain('if you trust');
    const mixed = await registered(host.base, { redirect_uris: [...redirect_uris, ...CLAUDE.redirect_uris] });
    expect(wordsOf(await browser.authorize(requestOf(mixed)))).not.toContain('just started');
    // Another address that it never uses does not spare it the warning.
    expect(wordsOf(await browser.authorize(requestOf(mixed, redirect_uris[0])))).toContain('just started');
  });

  test('without a name it is named after its redirect URI', async () => {
    const browser = new Browser(host);
    const client_id = await registered(host.base, { redirect_uris: CLAUDE.redirect_uris });
    const page = wordsOf(await browser.signIn(await browser.authorize(requestOf(client_id))));
    expect(page).toContain('Allow claude.example to access your account?');
  });

  test('M42 a client_id that was never registered is invalid_client at the token endpoint, and a page at the authorization endpoint', async () => {
    const client_id = await registered(host.base);
    const changed = `${client_id.slice(0, -4)}AAAA`;
    expect(refusal(await refresh(host.base, changed, 'x'))).toEqual([401, 'invalid_client']);
    const page = await new Browser(host).authorize(requestOf(changed));
    expect(page.status).toBe(400);
    expect(wordsOf(page)).toContain('Remove the connection in the application and connect again.');
  });
});

const [anyHost] = oneHostEach;
const { start } = anyHost;

describe('metadata sent by a client', () => {
  constantsOfSuite(LIMIT, { registrations: 10_000 });
  const host = useHost(
    { start },
    {
      options: fixture({ features: [selfRegistration({ redirectSchemes: ['cursor'] })] }).options,
    },
  );

  const answerTo = async (metadata: unknown): Promise<Record<string, unknown>> => {
    const { status, json, text } = await register(host.base, metadata);
    expect(status, text).toBe(201);
    return json;
  };

  test('M40 a method with a secret becomes none, which the response says (RFC 7591 §3.2.1)', async () => {
    for (const method of ['client_secret_post', 'client_secret_basic', 'private_key_jwt', 'tls_client_auth']) {
      const answer = await answerTo({ ...CLAUDE, token_endpoint_auth_method: method });
      expect(answer['token_endpoint_auth_method']).toBe('none');
      expect(Object.keys(answer).filter((name) => name.startsWith('client_secret'))).toEqual([]);
    }
  });

  test('M41 application_type and unknown members cause no error, whatever their values', async () => {
    for (const application_type of ['native', 'web', 'toaster', 7, null, {}])
      expect((await answerTo({ ...CLAUDE, application_type }))['application_type']).toBeUndefined();
    const odd = { jwks: { keys: 'x' }, logo_uri: 'javascript:alert(1)', contacts: 7, 'client_name#ja': 'クロード' };
    const answer = await answerTo({
      ...CLAUDE,
      ...odd,
      software_statement: 'a.b.c',
      introspect: true,
      consent: 'skip',
    });
    for (const name of [...Object.keys(odd), 'software_statement', 'introspect', 'consent'])
      expect(answer).not.toHaveProperty(name);
  });

  test('M43 unsupported grants are left out; refresh_token is the default and can be left out', async () => {
    const grantsFor = async (grant_types: unknown): Promise<unknown> =>
      (await answerTo({ ...CLAUDE, grant_types }))['grant_types'];
    expect(await grantsFor(undefined)).toEqual(['authorization_code', 'refresh_token']);
    expect(await grantsFor(null)).toEqual(['authorization_code', 'refresh_token']);
    expect(await grantsFor(['authorization_code'])).toEqual(['authorization_code']);
    const many = ['urn:ietf:params:oauth:grant-type:jwt-bearer', 'refresh_token', 'implicit', 'authorization_code'];
    expect(await grantsFor(many)).toEqual(['authorization_code', 'refresh_token']);
    const client_id = await registered(host.base, { ...CLAUDE, grant_types: ['authorization_code'] });
    expect(await tokensOf(host, client_id)).not.toHaveProperty('refresh_token');
  });

  test('unknown scopes, and those for resource servers, are left out', async () => {
    const scopeFor = async (scope: string): Promise<unknown> => (await answerTo({ ...CLAUDE, scope }))['scope'];
    expect(await scopeFor('openid profile offline_access introspect')).toBe('profile');
    expect(await scopeFor('openid')).toBeUndefined();
    expect(await scopeFor('profile  profile   "')).toBe('profile');
    const client_id = await registered(host.base);
    const asked = await new Browser(host).authorize({ ...requestOf(client_id), scope: 'introspect' });
    expect(responseOf(asked)['error']).toBe('invalid_scope');
  });

  test('M40 invalid metadata is rejected with the error of RFC 7591 §3.2.2', () =>
    everyRow(
      [
        ['redirect_uris', undefined, 'invalid_redirect_uri'],
        ['redirect_uris', [], 'invalid_redirect_uri'],
        ['redirect_uris', 'https://a.example/cb', 'invalid_redirect_uri'],
        ['redirect_uris', { 0: 'https://a.example/cb', length: 1 }, 'invalid_redirect_uri'],
        ['redirect_uris', [7], 'invalid_redirect_uri'],
        ['redirect_uris', [['https://a.example/cb']], 'invalid_redirect_uri'],
        ['redirect_uris', ['https://a.example/cb', null], 'invalid_redirect_uri'],
        ['redirect_uris', Array.from({ length: 101 }, (_, n) => `https://a.example/${n}`), 'invalid_redirect_uri'],
        ['redirect_uris', [`https://a.example/${'x'.repeat(1100)}`], 'invalid_redirect_uri'],
        ['redirect_uris', ['javascript:alert(1)'], 'invalid_redirect_uri'],
        ['redirect_uris', ['vscode://x/cb'], 'invalid_redirect_uri'],
        ['redirect_uris', ['cursors://x/cb'], 'invalid_redirect_uri'],
        ['client_name', 7, 'invalid_client_metadata'],
        ['client_name', ['Claude'], 'invalid_client_metadata'],
        ['client_name', 'x'.repeat(101), 'invalid_client_metadata'],
        ['client_name', `Z${'\u0301'.repeat(31)}`, 'invalid_client_metadata'],
        ['grant_types', 'authorization_code', 'invalid_client_metadata'],
        ['grant_types', [7], 'invalid_client_metadata'],
        ['grant_types', [], 'invalid_client_metadata'],
        ['grant_types', ['client_credentials'], 'invalid_client_metadata'],
        ['grant_types', ['implicit'], 'invalid_client_metadata'],
        ['response_types', 'code', 'invalid_client_metadata'],
        ['response_types', ['token'], 'invalid_client_metadata'],
        ['response_types', { includes: true }, 'invalid_client_metadata'],
        ['scope', ['profile'], 'invalid_client_metadata'],
        ['scope', 7, 'invalid_client_metadata'],
        ['token_endpoint_auth_method', 7, 'invalid_client_metadata'],
        ['token_endpoint_auth_method', ['none'], 'invalid_client_metadata'],
      ],
      async ([name, value, error]) => {
        const answer = await register(host.base, { ...CLAUDE, [name]: value });
        expect(refusal(answer)).toEqual([400, error]);
        expect(answer.json['error_description']).toMatch(/^[\x20-\x7e]{10,200}$/);
      },
    ));

  test('M27 schemes of apps that the options allow can be registered', async () => {
    const redirect_uris = ['cursor://anysphere.cursor-mcp/oauth/callback'];
    expect((await answerTo({ redirect_uris }))['redirect_uris']).toEqual(redirect_uris);
  });

  test('nested, doubled and prototype members have no effect', async () => {
    const deep = `{"redirect_uris":["https://a.example/cb"],"x":${'['.repeat(30_000)}${']'.repeat(30_000)}}`;
    expect((await register(host.base, deep)).status).toBe(201);
    const uris = `${'['.repeat(30_000)}${']'.repeat(30_000)}`;
    expect(refusal(await register(host.base, `{"redirect_uris":${uris}}`))).toEqual([400, 'invalid_redirect_uri']);
    // Of two members of one name the last counts (ECMA-262), and the answer says which it was.
    const doubled = '{"redirect_uris":["javascript:alert(1)"],"redirect_uris":["https://a.example/cb"]}';
    expect((await register(host.base, doubled)).json['redirect_uris']).toEqual(['https://a.example/cb']);
    const prototype = '{"__proto__":{"redirect_uris":["https://a.example/cb"],"client_name":"x"}}';
    expect(refusal(await register(host.base, prototype))).toEqual([400, 'invalid_redirect_uri']);
    const names = '{"redirect_uris":["https://a.example/cb"],"constructor":1,"toString":2,"hasOwnProperty":3}';
    expect(Object.keys((await register(host.base, names)).json)).toEqual([
      'client_id',
      'client_id_issued_at',
      'redirect_uris',
      'grant_types',
      'response_types',
      'token_endpoint_auth_method',
    ]);
  });

  test('the metadata is at most 1,055 bytes: then the client_id has 1,500 characters, and works everywhere', async () => {
    const withUri = async (length: number) =>
      register(host.base, {
        ...CLAUDE,
        redirect_uris: [...CLAUDE.redirect_uris, `https://a.example/${'x'.repeat(length)}`],
      });
    const {
      client_id: _,
      client_id_issued_at: _at,
      response_types: _types,
      token_endpoint_auth_method: _method,
      ...metadata
    } = (await withUri(0)).json;
    const room = 1055 - JSON.stringify(metadata).length;
    const refused = await withUri(room + 1);
    expect(refusal(refused)).toEqual([400, 'invalid_client_metadata']);
    expect(refused.json['error_description']).toMatch(/1056 bytes.*1055/);
    const client_id = String((await withUri(room)).json['client_id']);
    expect(client_id).toHaveLength(1500);
    const tokens = await tokensOf(host, client_id);
    expect((await refresh(host.base, client_id, tokens['refresh_token'])).status).toBe(200);
    const basic = { authorization: `Basic ${Buffer.from(`${client_id}:`).toString('base64')}` };
    const revoked = await new Client(host.base).post('/oauth/revoke', { token: String(tokens['access_token']) }, basic);
    expect(revoked.status).toBe(200);
    expect((await host.grants.apps({ sub: 'alice' })).map((app) => app.client_id)).toContain(client_id);
    expect(await host.grants.revoke({ client_id })).toBe(1);
  });
});

describe('one registration', () => {
  test('has exactly one spelling', async () => {
    const host = await start(fixture({ features: [selfRegistration()] }));
    const client_id = await registered(host.base);
    const browser = new Browser(host);
    expect((await browser.authorize(requestOf(client_id))).status).toBe(200);
    const sealed = client_id.slice(4);
    const last = sealed.at(-1)!;
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const spellings = [
      ...[...alphabet].filter((letter) => letter !== last).map((letter) => sealed.slice(0, -1) + letter),
      `${sealed}=`,
      `${sealed}==`,
      `${sealed}A`,
      `${sealed}.`,
      `${sealed} `,
      ` ${sealed}`,
      `.${sealed}`,
      `${sealed.slice(0, 50)} ${sealed.slice(50)}`,
      `${sealed.slice(0, 50)}*${sealed.slice(50)}`,
      sealed.replaceAll('-', '+').replaceAll('_', '/'),
      sealed.slice(0, -1),
      sealed + sealed,
      sealed.toLowerCase(),
    ].filter((text) => text !== sealed);
    const accepted = [];
    for (const text of [...spellings.map((one) => `reg.${one}`), sealed, `REG.${sealed}`, `reg${sealed}`])
      if ((await browser.authorize(requestOf(text))).status !== 400) accepted.push(text);
    expect(accepted).toEqual([]);
  });

  test('is rejected if it was encrypted for another purpose, server or secret', async () => {
    const { options } = fixture({ features: [selfRegistration()] });
    const host = await start({ options });
    const other = await start({ options });
    const client_id = await registered(host.base);
    const browser = new Browser(host);
    const { resume = '' } = Object.fromEntries(
      [...(await browser.authorize(requestOf(client_id))).text.matchAll(/name="resume" value="([^"]*)"/g)].map(
        ([, value]) => ['resume', value],
      ),
    );
    expect(resume).not.toBe('');
    expect((await browser.authorize(requestOf(`reg.${resume}`))).status).toBe(400);
    expect(
      (await browser.open(`${host.base.slice(host.origin.length)}/oauth/authorize?resume=${client_id.slice(4)}`))
        .status,
    ).toBe(400);
    // The same secret at another issuer.
    expect((await new Browser(other).authorize(requestOf(client_id))).status).toBe(400);
  });

  test('remains valid after a change of the secret, as long as the old one is listed', async () => {
    const [old, fresh] = [
      'the first secret, which is 32 characters long',
      'the next secret, which is 32 characters long',
    ];
    const { options } = fixture({ features: [selfRegistration()], issuer: 'http://127.0.0.1' });
    const at = (secret: string | readonly string[]) => start({ options: { ...options, secret } });
    const [before, during, after] = [await at(old), await at([fresh, old]), await at(fresh)];
    const client_id = await registered(before.base);
    const statusAt = async (host: RunningHost, id: string) => (await new Browser(host).authorize(requestOf(id))).status;
    expect(await statusAt(during, client_id)).toBe(200);
    expect(await statusAt(after, client_id)).toBe(400);
    expect(await statusAt(after, await registered(during.base))).toBe(200);
  });

  test('does not expire', async () => {
    const { options, advance } = fixture({ features: [selfRegistration()] });
    const host = await start({ options });
    const client_id = await registered(host.base);
    advance(100 * 365 * 86_400);
    expect((await new Browser(host).authorize(requestOf(client_id))).status).toBe(200);
  });

  test('can be denied by its id, immediately and with all of its grants', async () => {
    const denied = new Set<string>();
    for (const isDenied of [(id: string) => denied.has(id), async (id: string) => denied.has(id)]) {
      const { options, events } = fixture({ features: [selfRegistration({ isDenied })] });
      const host = await start({ options });
      const client_id = await registered(host.base);
      const tokens = await tokensOf(host, client_id);
      const event = events.find(({ type }) => type === 'client.registered');
      denied.add(String(event && 'registration_id' in event && event.registration_id));
      const guarded = await new Client(host.origin).get('/guarded/profile', bearer(String(tokens['access_token'])));
      expect(guarded.status).toBe(401);
      expect(refusal(await refresh(host.base, client_id, tokens['refresh_token']))).toEqual([401, 'invalid_client']);
      expect((await new Browser(host).authorize(requestOf(client_id))).status).toBe(400);
      const other = await registered(host.base);
      expect((await new Browser(host).authorize(requestOf(other))).status).toBe(200);
    }
  });

  test('may request nothing with an empty list of scopes', async () => {
    const host = await start(fixture({ features: [selfRegistration({ scopes: [] })] }));
    const client_id = await registered(host.base);
    const asked = await new Browser(host).authorize({ ...requestOf(client_id), scope: 'profile' });
    expect(responseOf(asked)['error']).toBe('invalid_scope');
  });

  test('is rejected while isDenied fails', async () => {
    const faults: readonly (() => unknown)[] = [
      () => {
        throw new Error('database away');
      },
      () => Promise.reject(new Error('database away')),
      () => undefined,
      () => Promise.resolve('no'),
    ];
    for (const fault of faults) {
      const { options, errors } = fixture({ features: [selfRegistration({ isDenied: fault as () => boolean })] });
      const host = await start({ options });
      const client_id = await registered(host.base);
      expect((await refresh(host.base, client_id, 'x')).status).toBe(503);
      expect(String(errors.at(-1))).toContain('selfRegistration({ isDenied })');
    }
  });

  test('is not looked up in any registry of the application', async () => {
    const asked: string[] = [];
    const find = (id: string) => {
      asked.push(id);
      return undefined;
    };
    const host = await start(fixture({ features: [selfRegistration()], clients: [{ find }] }));
    const client_id = await registered(host.base);
    const tokens = await tokensOf(host, client_id);
    await new Client(host.origin).get('/guarded/profile', bearer(String(tokens['access_token'])));
    expect(asked).toEqual([]);
    await refresh(host.base, 'nobody', 'x');
    expect(asked).toEqual(['nobody']);
  });

  test('M44 may repeat a refresh for a minute', async () => {
    const { options, advance } = fixture({ features: [selfRegistration()] });
    const host = await start({ options });
    const client_id = await registered(host.base);
    const tokens = await tokensOf(host, client_id);
    const first = await refresh(host.base, client_id, tokens['refresh_token']);
    advance(59);
    const again = await refresh(host.base, client_id, tokens['refresh_token']);
    expect(again.json).toEqual(first.json);
    advance(2);
    expect(refusal(await refresh(host.base, client_id, tokens['refresh_token']))).toEqual([400, 'invalid_grant']);
  });
});

describe('unknown callers', () => {
  test('M40 two hundred registrations from one address store nothing, and all but sixty are 429', async () => {
    const { options, store, events, advance } = fixture({ features: [selfRegistration()] });
    const host = await start({ options });
    const statuses = new Map<number, number>();
    let refused: Answer | undefined;
    for (let n = 0; n < 200; n += 50) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => register(host.base, CLAUDE)));
      for (const answer of answers) {
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        if (answer.status === 429) refused = answer;
      }
    }
    expect([...statuses]).toEqual([
      [201, 60],
      [429, 140],
    ]);
    expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(0);
    expect(store.size).toBe(0);
    expect(events.filter(({ type }) => type === 'limit.reached')).toMatchObject([{ limit: 'registration' }]);
    expect(events.filter(({ type }) => type === 'client.registered')).toHaveLength(60);
    advance(60);
    expect((await register(host.base, CLAUDE)).status).toBe(201);
  });

  test('M28 none is an authentication method of clients if they can register', async () => {
    const { options } = fixture({ features: [selfRegistration()] });
    const host = await start({ options: { ...options, clients: [] } });
    const { json } = await new Client(host.base).get('/.well-known/oauth-authorization-server');
    expect(json['token_endpoint_auth_methods_supported']).toEqual([
      'client_secret_basic',
      'client_secret_post',
      'none',
    ]);
  });

  test('M40 cannot register if registration is disabled', async () => {
    const host = await start(fixture());
    expect((await register(host.base, CLAUDE)).status).toBe(404);
    const { json } = await new Client(host.base).get('/.well-known/oauth-authorization-server');
    expect(json).not.toHaveProperty('registration_endpoint');
  });

  test('scripts of allowed origins can register', async () => {
    const host = await start(fixture({ features: [selfRegistration()], cors: ['https://spa.example'] }));
    const answer = await register(host.base, CLAUDE, { origin: 'https://spa.example' });
    expect(answer.headers['access-control-allow-origin']).toBe('https://spa.example');
    const preflight = await new Client(host.base).request('/oauth/register', {
      method: 'OPTIONS',
      headers: { origin: 'https://spa.example', 'access-control-request-method': 'POST' },
    });
    expect([preflight.status, preflight.headers['access-control-allow-headers']]).toEqual([
      204,
      expect.stringContaining('content-type'),
    ]);
  });
});
