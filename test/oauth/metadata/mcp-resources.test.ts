import { selfRegistration } from 'oauth-query/self-registration';
import { describe, expect, test } from 'vitest';
import { type Answer, basic, bearer, Client, hostFor, oneHostEach, type RunningHost, useHost } from '../../hosts.js';
import { everyRow } from '../../rows.js';
import { Browser, PKCE, responseOf } from '../support/browser.js';
import { DEVICE_CODE, fixture, SCOPES } from '../support/fixture.js';
import { Flows, refusal, register } from '../support/tokens.js';

const DOCUMENT = '/.well-known/oauth-protected-resource';
const ELSEWHERE = 'https://api.example/v1';

const corsOf = ({ headers }: Answer) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-')));

describe.each(oneHostEach)('metadata of resources on $name', ({ start }) => {
  const { options, errors } = fixture({
    resources: {
      '/mcp': { scopes: ['content.read'], name: 'Notes', documentation: 'https://docs.example/notes' },
      '/mcp/other/': { scopes: [] },
      [ELSEWHERE]: { scopes: ['profile'] },
    },
  });

  const host = useHost({ start }, { options }, errors);
  const atRoot = new Client(() => host.origin);

  test('M1, M2, M3, M4, M5 the metadata of a resource names the resource and the issuer (RFC 9728 §2, §3)', async () => {
    const answer = await atRoot.get(`${DOCUMENT}/mcp`);
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    expect(answer.json).toEqual({
      resource: `${host.origin}/mcp`,
      authorization_servers: [host.base],
      scopes_supported: ['content.read'],
      bearer_methods_supported: ['header'],
      resource_name: 'Notes',
      resource_documentation: 'https://docs.example/notes',
    });
    const inserted = `/.well-known/oauth-authorization-server${host.base.slice(host.origin.length)}`;
    expect((await atRoot.get(inserted)).json['issuer']).toBe(host.base);
  });

  test('M1, M5 the metadata has no members without a value, and a trailing slash is part of the path', async () => {
    expect((await atRoot.get(`${DOCUMENT}/mcp/other/`)).json).toEqual({
      resource: `${host.origin}/mcp/other/`,
      authorization_servers: [host.base],
      bearer_methods_supported: ['header'],
    });
  });

  test('M6 the metadata of a path that is not a resource of this host is 404', () =>
    everyRow(['', '/', '/mcp/', '/MCP', '/mcp/other', '/mcp/x', '/v1', '/mcp%2f'], async (path) => {
      expect((await atRoot.get(DOCUMENT + path)).status).toBe(404);
    }));

  test('M7 the metadata of resources and issuers answer GET, HEAD and OPTIONS, and 405 to other methods', async () => {
    const path = host.base.slice(host.origin.length);
    for (const address of [
      `${DOCUMENT}/mcp`,
      `/.well-known/oauth-authorization-server${path}`,
      `/.well-known/openid-configuration${path}`,
    ]) {
      const head = await atRoot.request(address, { method: 'HEAD' });
      expect([head.status, head.text]).toEqual([200, '']);
      for (const method of ['POST', 'PUT', 'DELETE']) {
        const answer = await atRoot.request(address, { method });
        expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD']);
      }
    }
  });

  test('M8 scripts of every origin may read both, and may send the MCP version', async () => {
    const path = host.base.slice(host.origin.length);
    for (const address of [`${DOCUMENT}/mcp`, `/.well-known/oauth-authorization-server${path}`]) {
      expect(corsOf(await atRoot.get(address, { origin: 'https://inspector.example' }))).toEqual({
        'access-control-allow-origin': '*',
      });
      const preflight = await atRoot.request(address, {
        method: 'OPTIONS',
        headers: {
          origin: 'https://inspector.example',
          'access-control-request-method': 'GET',
          'access-control-request-headers': 'mcp-protocol-version',
        },
      });
      expect([preflight.status, preflight.text]).toEqual([204, '']);
      expect(corsOf(preflight)).toEqual({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, HEAD',
        'access-control-allow-headers': '*, authorization',
        'access-control-max-age': '600',
      });
    }
  });
});

describe.each(hostFor(import.meta.url))('a resource at the root of $name', ({ start }) => {
  test('M6 has its metadata at the well-known path without a suffix', async () => {
    const host = await start({ options: { ...fixture().options, resources: { '/': {} } } });
    const atRoot = new Client(host.origin);
    expect((await atRoot.get(DOCUMENT)).json['resource']).toBe(`${host.origin}/`);
    expect((await atRoot.get(`${DOCUMENT}/mcp`)).status).toBe(404);
  });
});

/** A challenge as clients read it: the first two words by a split, and the parameters by regular expressions. */
const challengeOf = ({ headers }: Answer): Record<string, string> => {
  const header = headers['www-authenticate'] ?? '';
  const [scheme = '', second = ''] = header.split(' ');
  expect(scheme).toBe('Bearer');
  expect(second).not.toBe('');
  return Object.fromEntries([...header.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]));
};

describe.each(hostFor(import.meta.url))('guards of a resource on $name', ({ start }) => {
  const { options, errors } = fixture({
    resources: { '/mcp': { scopes: ['profile'] }, [ELSEWHERE]: {} },
  });

  const host = useHost(
    { start },
    {
      options,
      guarded: {
        mcp: { scope: 'profile', resource: '/mcp' },
        write: { scope: ['profile', 'content.write'], resource: '/mcp' },
        any: { scope: [], resource: '/mcp' },
        elsewhere: { scope: 'profile', resource: ELSEWHERE },
        api: { scope: 'profile' },
      },
    },
    errors,
  );
  const flows = new Flows(host);
  const atRoot = new Client(() => host.origin);

  const metadata = () => `${host.origin}${DOCUMENT}/mcp`;
  const tokenFor = async (...resource: readonly string[]): Promise<string> =>
    (await flows.tokens('web', { scope: 'profile', resource })).access_token;
  const ask = (route: string, headers: Record<string, string> = {}) => atRoot.get(`/guarded/${route}`, headers);

  test('#110 M9, M10 without a token the challenge names the metadata and the scopes, and no error (RFC 9728 §5.1)', async () => {
    for (const headers of [{}, { authorization: 'Basic dXNlcjpwYXNz' }, { authorization: 'Bearer' }]) {
      const answer = await ask('write', headers as Record<string, string>);
      expect([answer.status, Object.keys(answer.json)]).toEqual([401, ['message']]);
      expect(answer.headers['www-authenticate']).toBe(
        `Bearer resource_metadata="${metadata()}", scope="profile content.write"`,
      );
    }
    expect((await ask('any')).headers['www-authenticate']).toBe(`Bearer resource_metadata="${metadata()}"`);
    expect((await atRoot.get(metadata())).json['resource']).toBe(`${host.origin}/mcp`);
  });

  test('M11 a foreign or revoked token is 401 invalid_token with the metadata', async () => {
    const revoked = await tokenFor(`${host.origin}/mcp`);
    await flows.revoke('web', revoked);
    for (const token of ['x', revoked]) {
      const answer = await ask('mcp', bearer(token));
      expect(refusal(answer)).toEqual([401, 'invalid_token']);
      expect(challengeOf(answer)).toMatchObject({
        error: 'invalid_token',
        resource_metadata: metadata(),
        scope: 'profile',
      });
    }
  });

  test('M12 a token passes only at the resource it is for, whatever its scope', async () => {
    const mcp = `${host.origin}/mcp`;
    for (const [token, expected] of [
      [await tokenFor(mcp), [200, 401, 401]],
      [await tokenFor(ELSEWHERE), [401, 200, 401]],
      [await tokenFor(mcp, ELSEWHERE), [200, 200, 401]],
      [await tokenFor(), [401, 401, 200]],
      [await tokenFor(host.base), [401, 401, 200]],
    ] as const) {
      const answers = await Promise.all(['mcp', 'elsewhere', 'api'].map((route) => ask(route, bearer(token))));
      expect(answers.map(({ status }) => status)).toEqual(expected);
    }
  });

  test('#110 M13 a token that lacks a scope is 403 with all required scopes and the metadata', async () => {
    const answer = await ask('write', bearer(await tokenFor(`${host.origin}/mcp`)));
    expect(refusal(answer)).toEqual([403, 'insufficient_scope']);
    expect(challengeOf(answer)).toMatchObject({
      error: 'insufficient_scope',
      scope: 'profile content.write',
      resource_metadata: metadata(),
    });
  });

  test('M16 scripts may read each challenge', async () => {
    const token = await tokenFor(`${host.origin}/mcp`);
    for (const answer of [await ask('mcp'), await ask('mcp', bearer('x')), await ask('write', bearer(token))]) {
      expect(answer.headers['access-control-expose-headers']).toBe('www-authenticate');
    }
    expect((await ask('mcp', bearer(token))).headers).not.toHaveProperty('access-control-expose-headers');
  });

  test('a guard without a resource does not name the metadata of any', async () => {
    const answer = await ask('api');
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'Bearer realm="oauth"']);
    expect(answer.headers).not.toHaveProperty('access-control-expose-headers');
  });
});

const MCP = [{ client_id: 'mcp', redirect_uris: ['https://mcp.example/cb'], refresh: 'rotating' }] as const;

describe.each(hostFor(import.meta.url))('resources in requests on $name', ({ start }) => {
  const one = fixture({
    resources: { '/mcp': { scopes: ['content.read'] } },
    features: [selfRegistration()],
    scopes: { ...SCOPES, offline_access: 'Stay signed in' },
    lifetimes: { rememberedConsent: 86_400 },
    clients: MCP,
  });
  const several = fixture({
    resources: { '/mcp': {}, '/': {}, [ELSEWHERE]: {} },
    features: [selfRegistration()],
    clients: [
      {
        client_id: 'narrow',
        client_secret: 'narrow-secret',
        grant_types: [],
        introspect: true,
        audience: 'HTTPS://API.example:443/v1',
      },
    ],
  });
  const host = useHost({ start }, { options: one.options }, one.errors);
  const guarded = {
    root: { scope: 'profile', resource: '/' },
    elsewhere: { scope: 'profile', audience: `HTTPS://API.example:443/v1` },
  };
  const other = useHost({ start }, { options: several.options, guarded }, several.errors);
  const flows = new Flows(host, MCP);

  const mcp = () => `${host.origin}/mcp`;
  const audOf = async (token: string, at = flows): Promise<unknown> => (await at.introspect(token)).json['aud'];

  test('M22, M46 every endpoint accepts a resource, and its tokens are for that resource (RFC 8707 §2)', async () => {
    const code = await flows.code('mcp', { scope: 'content.read', resource: mcp() });
    const { json: first } = await flows.redeem('mcp', code, { resource: mcp() });
    expect(await audOf(String(first['access_token']))).toBe(mcp());
    const second = await flows.refreshed('mcp', String(first['refresh_token']), { resource: mcp() });
    expect(await audOf(second.access_token)).toBe(mcp());
    const own = await flows.ownTokens('service', { resource: mcp() });
    expect([await audOf(own.access_token), own.refresh_token]).toEqual([mcp(), undefined]);
    const { json } = await flows.post('/oauth/device', 'tv', { scope: 'profile', resource: mcp() });
    await flows.browser().decideDevice(String(json['user_code']));
    const polled = await flows.token('tv', { grant_type: DEVICE_CODE, device_code: String(json['device_code']) });
    expect(await audOf(String(polled.json['access_token']))).toBe(mcp());
  });

  test('M24 all spellings of a URL are the same resource, at every endpoint, in guards and in introspection', async () => {
    const at = new Flows(other, MCP);
    const root = other.origin.toUpperCase().replace('HTTP', 'hTTp');
    const issued = await at.tokens('web', { scope: 'profile', resource: root });
    expect(await audOf(issued.access_token, at)).toBe(`${other.origin}/`);
    const refreshed = await at.refreshed('web', issued.refresh_token, { resource: `${root}/` });
    expect(await audOf(refreshed.access_token, at)).toBe(`${other.origin}/`);
    const own = await at.ownTokens('service', { resource: 'HTTPS://API.EXAMPLE:443/v1' });
    expect(await audOf(own.access_token, at)).toBe(ELSEWHERE);
    const narrow = new Client(other.base);
    const seen = await narrow.post('/oauth/introspect', { token: own.access_token }, basic('narrow', 'narrow-secret'));
    expect(seen.json['active']).toBe(true);
    const guarded = new Client(other.origin);
    expect((await guarded.get('/guarded/root', bearer(issued.access_token))).status).toBe(200);
    const elsewhere = await at.tokens('web', { scope: 'profile', resource: ELSEWHERE });
    expect((await guarded.get('/guarded/elsewhere', bearer(elsewhere.access_token))).status).toBe(200);
    expect((await guarded.get('/guarded/elsewhere', bearer(issued.access_token))).status).toBe(401);
  });

  /** The audience of what a client gets that has registered itself and names no resource. */
  const audOfStranger = async (at: RunningHost, more: object = {}): Promise<unknown> => {
    const metadata = { client_name: 'X', redirect_uris: ['https://x.example/cb'], ...more };
    const registered = await register(at.base, metadata);
    const client_id = String(registered.json['client_id']);
    const request = {
      response_type: 'code',
      client_id,
      scope: 'profile',
      redirect_uri: 'https://x.example/cb',
      ...PKCE.request,
    };
    const { code = '' } = responseOf(await new Browser(at).authorizeFor(request));
    const form = {
      grant_type: 'authorization_code',
      code,
      client_id,
      redirect_uri: 'https://x.example/cb',
      code_verifier: PKCE.verifier,
    };
    const { access_token } = (await new Client(at.base).post('/oauth/token', form)).json;
    return audOf(String(access_token), new Flows(at));
  };

  test('M25 without a resource, tokens of a client that registered itself are for the only one', async () => {
    expect(await audOfStranger(host)).toBe(mcp());
    expect(await audOfStranger(other)).toBe(other.base);
  });

  test('M45 offline_access is granted after consent each time, and is not a scope of the resource', async () => {
    const scope = 'content.read offline_access';
    expect((await flows.tokens('mcp', { scope, resource: mcp(), prompt: 'consent' })).scope).toBe(scope);
    const asked = { response_type: 'code', client_id: 'mcp', resource: mcp(), ...PKCE.request };
    expect((await flows.browser().authorize({ ...asked, scope })).status).toBe(200);
    await flows.tokens('mcp', { scope: 'content.read', resource: mcp() });
    expect((await flows.browser().authorize({ ...asked, scope: 'content.read' })).status).toBe(302);
    expect((await flows.browser().authorize({ ...asked, scope })).status).toBe(200);
    const document = (await new Client(host.origin).get(`${DOCUMENT}/mcp`)).json;
    expect(document['scopes_supported']).toEqual(['content.read']);
    const inserted = `/.well-known/oauth-authorization-server${host.base.slice(host.origin.length)}`;
    expect((await new Client(host.origin).get(inserted)).json['scopes_supported']).toContain('offline_access');
  });
});
