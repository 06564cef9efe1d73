import express from 'express';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { oauthQuery } from '../../../src/adapters/express/index.js';
import { contentQuery, memoryContent } from '../../../src/content/index.js';
import { query } from '../../../src/core/query/index.js';
import { mcp } from '../../../src/mcp/index.js';
import { RESULT } from '../../../src/mcp/options.js';
import { Client, sendRaw } from '../../hosts.js';
import { listen } from '../../hosts/listen.js';
import { constantsOfTest } from '../../oauth/support/limits.js';
import { everyRow } from '../../rows.js';
import { HEADERS, type McpSite, PAGES, startSite } from './support.js';

const FOREIGN = 'https://evil.example';
const PING = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });

describe('the source of a request', () => {
  let site: McpSite;

  beforeAll(async () => {
    site = await startSite({ mcp: { hosts: ['wiki.internal:8080'] }, content: { cors: ['https://app.example'] } });
  });
  afterAll(() => {
    site.close();
    expect(site.errors).toEqual([]);
  });

  test('rejects other hosts, because of DNS rebinding', () =>
    everyRow(
      ['evil.example', 'evil.example:80', '127.0.0.1.evil.example', 'localhost@evil.example', 'wiki.internal'],
      async (host) => {
        const answer = await site.send('tools/list', {}, { host });
        expect(answer.status).toBe(403);
        expect(answer.json).toMatchObject({ error: { message: expect.stringContaining('the option hosts of mcp()') } });
      },
    ));

  test.each(['localhost:3000', '[::1]:3000', 'wiki.internal:8080', 'WIKI.internal:8080'])(
    'accepts the host %j',
    async (host) => {
      expect((await site.send('tools/list', {}, { host })).status).toBe(200);
    },
  );

  test('rejects a request without a host', async () => {
    const lines = ['POST /mcp HTTP/1.0', 'Content-Type: application/json', `Content-Length: ${PING.length}`, '', PING];
    expect(await sendRaw(site.base, lines.join('\r\n'))).toContain('403');
  });

  test.each([FOREIGN, 'null', 'https://app.example.evil.example', 'not an origin'])(
    'rejects pages of %j, and their preflight requests',
    async (origin) => {
      for (const method of ['OPTIONS', 'POST']) {
        const answer = await site.http.request('/mcp', { method, headers: { ...HEADERS, origin } });
        expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([403, undefined]);
      }
    },
  );

  test('accepts pages of listed origins, without cookies', async () => {
    const origin = 'https://app.example';
    const before = await site.http.request('/mcp', { method: 'OPTIONS', headers: { origin } });
    expect(before.status).toBe(204);
    expect(before.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-headers': expect.stringContaining('mcp-protocol-version'),
      vary: 'Origin',
    });
    expect(before.headers).not.toHaveProperty('access-control-allow-credentials');
    const answer = await site.send('tools/list', {}, { origin });
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-expose-headers': 'www-authenticate',
    });
  });

  test('accepts pages of its own origin, and of loopback origins if the issuer is one', async () => {
    for (const origin of ['http://localhost:6274', 'http://[::1]:1', site.base])
      expect((await site.send('tools/list', {}, { origin })).status).toBe(200);
    const remote = await startSite({ issuer: 'https://wiki.example' });
    expect((await remote.send('tools/list', {}, { origin: 'http://localhost:6274' })).status).toBe(403);
    for (const headers of [{ host: 'wiki.example' }, { host: 'wiki.example:443', origin: 'https://wiki.example' }])
      expect((await remote.send('tools/list', {}, headers)).status).toBe(200);
    expect((await remote.send('tools/list', {}, { host: 'wiki.example:80' })).status).toBe(403);
  });

  test.each(['GET', 'HEAD', 'DELETE', 'PUT'])('has no stream of events and no sessions: %s is 405', async (method) => {
    const answer = await site.http.request('/mcp', { method, headers: HEADERS });
    expect([answer.status, answer.headers['allow']]).toEqual([405, 'POST']);
  });

  test('rejects malformed requests', () =>
    everyRow(
      [
        ['no JSON', '{"jsonrpc"', {}, 400, 'not valid JSON'],
        ['a list of messages', `[${PING}]`, {}, 400, 'one message at a time'],
        ['no message', '{"a":1}', {}, 400, ''],
        ['a form', 'a=1', { 'content-type': 'application/x-www-form-urlencoded' }, 415, 'application/json'],
        ['what is too long', JSON.stringify({ a: 'x'.repeat(262_144) }), {}, 413, 'too large'],
        ['what is packed', '{}', { 'content-encoding': 'gzip' }, 400, 'compressed'],
        ['another version', PING, { 'mcp-protocol-version': '1999-01-01' }, 400, ''],
      ],
      async ([, body, headers, status, text]) => {
        const answer = await site.http.request('/mcp', { method: 'POST', headers: { ...HEADERS, ...headers }, body });
        expect(answer.status).toBe(status);
        expect(JSON.stringify(answer.json)).toContain(text);
        expect(answer.headers['content-type']).toContain('application/json');
      },
    ));

  test('rejects subscriptions of the revision 2026-07-28', async () => {
    const answer = await site.send('subscriptions/listen', {});
    expect(answer.json).toMatchObject({ id: 1, error: { code: -32_601 } });
  });

  test('accepts a message that a body parser of the application has read', async () => {
    const app = express().use(express.json());
    const { origin: base } = await listen(app);
    app.use(
      oauthQuery({
        issuer: base,
        features: [query(contentQuery(memoryContent(PAGES))), mcp()],
        onWarning: () => {},
      }),
    );
    const answer = await new Client(base).request('/mcp', { method: 'POST', headers: HEADERS, body: PING });
    expect([answer.status, answer.json]).toEqual([200, { jsonrpc: '2.0', id: 1, result: {} }]);
  });
});

describe('the caller', () => {
  test('ignores cookies: a signed-in user of the application is anonymous here', async () => {
    const owner = vi.fn(() => ({ sub: 'alice' }));
    const site = await startSite({
      users: undefined as never,
      owner,
      loginUrl: '/login',
      content: { private: true },
    });
    const answer = await site.send('tools/list', {}, { cookie: 'session=alice' });
    expect([answer.status, owner.mock.calls]).toEqual([401, []]);
    expect(answer.headers).not.toHaveProperty('set-cookie');
  });

  test('challenges callers without a token if the API is private, with the scopes to request', async () => {
    const site = await startSite({ content: { private: true }, mcp: { scopes: ['read'] } });
    const metadata = `${site.base}/.well-known/oauth-protected-resource/mcp`;
    const answer = await site.send('initialize');
    expect([answer.status, Object.keys(answer.json)]).toEqual([401, ['message']]);
    expect(answer.headers['www-authenticate']).toBe(`Bearer resource_metadata="${metadata}", scope="read"`);
    expect((await site.http.get('/.well-known/oauth-protected-resource/mcp')).json).toMatchObject({
      resource: `${site.base}/mcp`,
      authorization_servers: [site.base],
      scopes_supported: ['read'],
      resource_name: 'Harbour',
    });
    expect((await site.call('read_page', { title: 'Rope' }, await site.token())).result.data.text).toContain('rope');
  });

  test('can require a token although the API does not', async () => {
    const site = await startSite({ mcp: { anonymous: false } });
    expect((await site.http.get('/api?action=query&list=allpages')).status).toBe(200);
    expect((await site.send('initialize')).status).toBe(401);
  });

  test('rejects tokens for other resources and tokens without its scopes, even if it requires no token', async () => {
    const site = await startSite({ mcp: { scopes: ['read', 'more'] } });
    const metadata = `resource_metadata="${site.base}/.well-known/oauth-protected-resource/mcp"`;
    const { access_token } = await site.oauth.issue({ sub: 'alice', client_id: 'app', scope: 'read more' });
    for (const token of [access_token, 'made up']) {
      const answer = await site.send('tools/list', {}, { authorization: `Bearer ${token}` });
      expect(answer.status).toBe(401);
      expect(answer.headers['www-authenticate']).toContain(`Bearer ${metadata}, error="invalid_token"`);
    }
    const lacking = await site.send('tools/list', {}, await site.token('read'));
    expect(lacking.status).toBe(403);
    expect(lacking.headers['www-authenticate']).toMatch(/error="insufficient_scope".*scope="read more"/);
    expect(lacking.headers['www-authenticate']).toContain(metadata);
    expect((await site.send('tools/list', {}, await site.token('read more'))).status).toBe(200);
    expect((await site.send('tools/list')).status).toBe(200);
  });

  test('challenges anonymous callers if a query requires a user, and ignores tokens in the URL', async () => {
    const site = await startSite({
      content: { modules: { watchlistraw: () => [{ ns: 0, title: 'Rope' }] } },
    });
    const query = { parameters: { list: 'watchlistraw' } };
    const unknown = await site.call('query', query);
    expect([unknown.status, unknown.headers['www-authenticate']]).toEqual([
      401,
      `Bearer resource_metadata="${site.base}/.well-known/oauth-protected-resource/mcp"`,
    ]);
    const { authorization } = await site.token();
    const params = { name: 'query', arguments: query };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    const address = `/mcp?access_token=${authorization.slice('Bearer '.length)}`;
    expect((await site.http.request(address, { method: 'POST', headers: HEADERS, body })).status).toBe(401);
    expect((await site.call('query', query, { authorization })).result.data).toEqual({
      watchlistraw: [{ ns: 0, title: 'Rope' }],
    });
  });

  test('returns to each caller what the API returns: the same pages, limits and rights', async () => {
    const seen: unknown[] = [];
    constantsOfTest(RESULT, { maxBytes: 1_000_000 });
    const site = await startSite({
      pages: Array.from({ length: 700 }, (_, index) => ({
        ns: index % 2 === 0 ? 0 : 4,
        title: `P ${index}`,
        text: 'x',
      })),
      content: {
        visible: (pages, { caller }) => {
          seen.push(caller?.rights);
          return caller ? pages : pages.filter(({ ns }) => ns === 0);
        },
      },
    });
    const parameters = { list: 'allpages', apnamespace: 4, aplimit: 'max' };
    const address = '/api?action=query&format=json&formatversion=2&list=allpages&apnamespace=4&aplimit=max';
    const counts: number[] = [];
    for (const scope of [undefined, 'read', 'bulk']) {
      const atApi = scope === undefined ? {} : await site.oauth.issue({ sub: 'alice', client_id: 'app', scope });
      const bearer = 'access_token' in atApi ? { authorization: `Bearer ${atApi.access_token}` } : {};
      const { query } = (await site.http.get(address, bearer)).json;
      const { result } = await site.call('query', { parameters }, scope === undefined ? {} : await site.token(scope));
      expect(result.data).toEqual(query);
      counts.push(result.data.allpages.length);
    }
    expect(counts).toEqual([0, 350, 350]);
    expect(seen).toContainEqual(['apihighlimits']);
    const missing = await site.call('read_page', { title: 'Project:P 1' });
    expect([missing.isError, missing.text]).toEqual([true, expect.stringContaining('does not exist')]);
    expect((await site.call('read_page', { title: 'Project:P 1' }, await site.token())).result.data.text).toBe('x');
  });
});

describe('options', () => {
  const tools = [query(contentQuery(memoryContent(PAGES))), mcp({ scopes: ['read'] })];

  test('require an issuer, and scopes that exist', () => {
    const quiet = { onWarning: () => undefined };
    expect(() => oauthQuery({ features: tools, ...quiet })).toThrow(
      '/mcp is a resource of its own, so it needs options.issuer',
    );
    expect(() =>
      oauthQuery({ features: tools, issuer: 'https://a.example', scopes: { reed: 'Read' }, ...quiet }),
    ).toThrow('mcp(): /mcp.scopes names "read", which options.scopes does not have. Did you mean "reed"?');
  });

  test('add the resource once, whichever others are configured', async () => {
    for (const resources of [
      ['https://other.example/'],
      { '/other': {} },
      { '/mcp': { name: 'Mine', scopes: ['read'] } },
    ]) {
      const site = await startSite({ resources });
      const document = await site.http.get('/.well-known/oauth-protected-resource/mcp');
      expect(document.json).toMatchObject({ resource: `${site.base}/mcp` });
      expect((await site.send('ping', {}, await site.token())).status).toBe(200);
      site.close();
    }
  });
});

test('messages count as requests of `query.limits`, and what their tools read as cost', async () => {
  const site = await startSite({ content: { limits: { anonymous: { requests: 3, cost: 5 } } } });
  const boats = () => site.call('search', { query: 'boat', limit: 5 });
  expect((await site.send('tools/list')).status).toBe(200);
  expect((await boats()).isError).toBe(false);
  expect(await boats()).toMatchObject({ isError: true, text: expect.stringContaining('rate limit') });
  const refused = await site.send('tools/list');
  expect([refused.status, Number(refused.headers['retry-after']) > 0]).toEqual([429, true]);
});
