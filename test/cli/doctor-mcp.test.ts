import { describe, expect, test } from 'vitest';
import { MCP_RULES } from '../../src/cli/doctor/mcp.js';
import { useStarted } from '../hosts/listen.js';
import { startNotes } from '../mcp/support/notes-server.js';
import { limitsOfSuite } from '../oauth/support/limits.js';
import { everyRow } from '../rows.js';
import { type Exchange, type Spoil, startBadProxyFor } from './support/bad-proxy.js';
import { rowsOf } from './support/broken-servers.js';
import { complaints, runDoctor } from './support/run-doctor.js';

const RESOURCE = '/.well-known/oauth-protected-resource/mcp';
const SERVER = '/.well-known/oauth-authorization-server';

limitsOfSuite({ registrations: 1000, clientFailures: 1000 });

const proxy = useStarted(() => startBadProxyFor((issuer) => startNotes({ issuer, cors: ['*'] })));

const walk = () => runDoctor(['--mcp', `${proxy.issuer}/mcp`]);

/** The proxy is one that lets browsers in, so that nothing is wrong but what a test does. */
const letBrowsersIn = (exchange: Exchange): void => {
  if (exchange.path === '/mcp') exchange.headers['access-control-allow-origin'] = '*';
};

const at =
  (path: string, spoil: (exchange: Exchange) => void): Spoil =>
  (exchange) => {
    if (exchange.path === path) spoil(exchange);
  };
const edit =
  (path: string, change: (document: Record<string, unknown>) => object): Spoil =>
  (exchange) =>
    at(
      path,
      () =>
        void (exchange.body = JSON.stringify({ ...JSON.parse(exchange.body), ...change(JSON.parse(exchange.body)) })),
    )(exchange);
const answer =
  (path: string, status: number, type = 'text/html', body = '<p>Hello', more: Record<string, string> = {}): Spoil =>
  (exchange) =>
    at(path, () => Object.assign(exchange, { status, headers: { 'content-type': type, ...more }, body }))(exchange);
const both =
  (...spoils: readonly Spoil[]): Spoil =>
  (exchange) => {
    for (const spoil of spoils) spoil(exchange);
  };

test('reports nothing for a server that clients can connect to, and leaves nothing behind', async () => {
  proxy.spoil = letBrowsersIn;
  const report = await walk();
  expect(complaints(report)).toEqual([]);
  expect(report.findings.map(({ rule }) => rule)).toEqual(Object.keys(MCP_RULES));
  expect([report.code, report.issuer]).toEqual([0, `${proxy.issuer}/mcp`]);
});

test('a server at the root, and one for clients with documents only', async () => {
  const { clientDocuments } = await import('../../src/clients/index.js');
  const root = await startNotes({ clients: [clientDocuments({ trust: 'any' })] }, '/');
  const { findings } = await runDoctor(['--mcp', root.base]);
  expect(findings.filter(({ level }) => level === 'error' || level === 'warning')).toEqual([]);
  root.close();
});

/** Every way in which servers of others were found broken, and what the doctor says. */
const BROKEN = rowsOf<keyof typeof MCP_RULES>({
  'mcp-answers': {
    'the route is not there': ['404', answer('/mcp', 404)],
    'a proxy cannot reach it': ['502', answer('/mcp', 502)],
    'it sends clients elsewhere': ['redirect to /mcp/', answer('/mcp', 308, 'text/plain', '', { location: '/mcp/' })],
  },
  'mcp-challenge': {
    'nothing is protected': ['200 with JSON', answer('/mcp', 200, 'application/json', '{}')],
    'a wall in front answers 403': ['403', answer('/mcp', 403)],
    'a proxy takes the challenge away': [
      'WWW-Authenticate is missing',
      at('/mcp', ({ headers }) => void delete headers['www-authenticate']),
    ],
    'another scheme comes first': [
      'Basic',
      at(
        '/mcp',
        ({ headers }) => void (headers['www-authenticate'] = `Basic realm="x", ${String(headers['www-authenticate'])}`),
      ),
    ],
    'Bearer alone says nothing': [
      'WWW-Authenticate is Bearer',
      at('/mcp', ({ headers }) => void (headers['www-authenticate'] = 'Bearer')),
    ],
  },
  'mcp-challenge-metadata': {
    'a challenge without the metadata': [
      'missing',
      at('/mcp', ({ headers }) => void (headers['www-authenticate'] = 'Bearer realm="x"')),
    ],
  },
  'mcp-challenge-scripts': {
    'browsers keep the challenge': [
      'browsers hide it',
      at('/mcp', ({ headers }) => void delete headers['access-control-expose-headers']),
    ],
  },
  'mcp-resource-found': {
    'the metadata of a resource below a path is only at the root': ['404', answer(RESOURCE, 404)],
    'a page of a framework for every path': ['text/html', answer(RESOURCE, 200)],
  },
  'mcp-resource-name': {
    'it names the origin of another issuer': [
      'https://other.example/mcp',
      edit(RESOURCE, () => ({ resource: 'https://other.example/mcp' })),
    ],
    'it names http behind a proxy': [
      'ftp:',
      edit(RESOURCE, ({ resource }) => ({ resource: String(resource).replace(/^https?:/, 'ftp:') })),
    ],
    'it names another path': ['/mcp2', edit(RESOURCE, ({ resource }) => ({ resource: `${String(resource)}2` }))],
    'it names nothing': ['missing', edit(RESOURCE, () => ({ resource: undefined }))],
  },
  'mcp-resource-identical': {
    'an alias with the resource of the root': [
      'it is',
      edit(RESOURCE, ({ resource }) => ({ resource: String(resource).replace(/mcp$/, '') })),
    ],
  },
  'mcp-resource-scripts': {
    'scripts may not read it': [
      'no Access-Control',
      at(RESOURCE, ({ headers }) => void delete headers['access-control-allow-origin']),
    ],
  },
  'mcp-offline-access': {
    'offline_access among its scopes': [
      'scopes_supported',
      edit(RESOURCE, () => ({ scopes_supported: ['notes.read', 'offline_access'] })),
    ],
  },
  'mcp-server-named': {
    'no authorization server': ['[]', edit(RESOURCE, () => ({ authorization_servers: [] }))],
    'an authorization server without its scheme': [
      'notes.example',
      edit(RESOURCE, () => ({ authorization_servers: ['notes.example'] })),
    ],
    'an authorization server on http': [
      'http://notes.example',
      edit(RESOURCE, () => ({ authorization_servers: ['http://notes.example'] })),
    ],
  },
  'mcp-server-found': {
    'the metadata of the server is not there': [
      '404',
      (exchange) => {
        if (/authorization-server|openid/.test(exchange.path)) answer(exchange.path, 404)(exchange);
      },
    ],
  },
  'mcp-server-issuer': {
    'the issuer has a slash more': ['the other', edit(SERVER, ({ issuer }) => ({ issuer: `${String(issuer)}/` }))],
    'the issuer is another one': ['https://other.example', edit(SERVER, () => ({ issuer: 'https://other.example' }))],
  },
  'mcp-server-endpoints': {
    'endpoints are http behind a proxy': [
      'token_endpoint is "http://notes.example/token"',
      edit(SERVER, () => ({ token_endpoint: 'http://notes.example/token' })),
    ],
    'there is no authorization endpoint': ['missing', edit(SERVER, () => ({ authorization_endpoint: undefined }))],
  },
  'mcp-pkce': {
    'PKCE is not announced': ['missing', edit(SERVER, () => ({ code_challenge_methods_supported: undefined }))],
    'only plain is announced': ['plain', edit(SERVER, () => ({ code_challenge_methods_supported: ['plain'] }))],
  },
  'mcp-refresh': {
    'nobody refreshes': ['authorization_code', edit(SERVER, () => ({ grant_types_supported: ['authorization_code'] }))],
  },
  'mcp-clients': {
    'only clients that are known': [
      'neither',
      edit(SERVER, () => ({ registration_endpoint: undefined, client_id_metadata_document_supported: undefined })),
    ],
  },
  'mcp-public-clients': {
    'none is not among the methods': [
      'client_secret_basic',
      edit(SERVER, () => ({ token_endpoint_auth_methods_supported: ['client_secret_basic'] })),
    ],
  },
  'mcp-registration': {
    'registration is not there': ['404', answer('/oauth/register', 404)],
    'registration asks for a token': ['401', answer('/oauth/register', 401, 'application/json', '{}')],
    'registration answers with a page': ['text/html', answer('/oauth/register', 400)],
    'registration is no address': ['it is not a URL', edit(SERVER, () => ({ registration_endpoint: '/register' }))],
  },
  'mcp-authorize': {
    'the authorization endpoint is not there': ['404', answer('/oauth/authorize', 404)],
    'the authorization endpoint breaks at a client that it does not know': ['500', answer('/oauth/authorize', 500)],
    'a password in front of the authorization endpoint': ['401', answer('/oauth/authorize', 401)],
  },
  'mcp-token': {
    'the token endpoint answers with a page': ['text/html', answer('/oauth/token', 400)],
    'the token endpoint breaks': ['500', answer('/oauth/token', 500, 'application/json', '{"error":"server_error"}')],
  },
});

describe('a server with one fault', () => {
  test('each rule reports its fault', () =>
    everyRow(BROKEN, async ([rule, , seen, spoil]) => {
      proxy.spoil = both(letBrowsersIn, spoil);
      const { findings, code } = await walk();
      const { severity, why, remedy } = MCP_RULES[rule];
      const found = findings.find((finding) => finding.rule === rule);
      expect(found).toMatchObject({ level: severity, why, remedy });
      expect(found?.seen).toContain(seen);
      expect(code).toBe(severity === 'error' ? 1 : 0);
      // What would stop a client stops the walk, and is the only thing to be mended now.
      if (severity === 'error') {
        expect(findings.at(-1)).toBe(found);
        expect(findings.filter(({ level }) => level === 'error')).toHaveLength(1);
      }
    }));

  test('every rule is broken by one of them', () => {
    const broken = new Set<string>(BROKEN.map(([rule]) => rule));
    expect(Object.keys(MCP_RULES).filter((rule) => !broken.has(rule))).toEqual([]);
  });

  test('no server is running', async () => {
    const { findings, code } = await runDoctor(['--mcp', 'http://127.0.0.1:1/mcp']);
    expect([code, findings.length]).toEqual([1, 1]);
    expect(findings[0]).toMatchObject({
      rule: 'mcp-answers',
      seen: expect.stringContaining('nothing listens there'),
    });
  });
});

test('--mcp takes a URL, and no other arguments', async () => {
  await expect(runDoctor(['--mcp', 'notes.example/mcp'])).rejects.toThrow('--mcp must be the URL of an MCP server');
  await expect(runDoctor(['--mcp', 'https://notes.example/mcp', 'https://notes.example'])).rejects.toThrow(
    '--mcp cannot be used with issuer',
  );
});
