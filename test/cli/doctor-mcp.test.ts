import { describe, expect, test } from 'vitest';
import { MCP_RULES } from '../../src/cli/doctor/mcp.js';
import { useStarted } from '../hosts/listen.js';
import { startNotes } from '../mcp/support/notes-server.js';
import { limitsOfSuite } from '../oauth/support/limits.js';
import { everyRow } from '../rows.js';
import { type Exchange, type Spoil, startBadProxyFor } from './support/bad-proxy.js';
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
const BROKEN: readonly (readonly [what: string, rule: keyof typeof MCP_RULES, seen: string, spoil: Spoil])[] = [
  ['the route is not there', 'mcp-answers', '404', answer('/mcp', 404)],
  ['a proxy cannot reach it', 'mcp-answers', '502', answer('/mcp', 502)],
  [
    'it sends clients elsewhere',
    'mcp-answers',
    'redirect to /mcp/',
    answer('/mcp', 308, 'text/plain', '', { location: '/mcp/' }),
  ],
  ['nothing is protected', 'mcp-challenge', '200 with JSON', answer('/mcp', 200, 'application/json', '{}')],
  ['a wall in front answers 403', 'mcp-challenge', '403', answer('/mcp', 403)],
  [
    'a proxy takes the challenge away',
    'mcp-challenge',
    'WWW-Authenticate is missing',
    at('/mcp', ({ headers }) => void delete headers['www-authenticate']),
  ],
  [
    'another scheme comes first',
    'mcp-challenge',
    'Basic',
    at(
      '/mcp',
      ({ headers }) => void (headers['www-authenticate'] = `Basic realm="x", ${String(headers['www-authenticate'])}`),
    ),
  ],
  [
    'Bearer alone says nothing',
    'mcp-challenge',
    'WWW-Authenticate is Bearer',
    at('/mcp', ({ headers }) => void (headers['www-authenticate'] = 'Bearer')),
  ],
  [
    'a challenge without the metadata',
    'mcp-challenge-metadata',
    'missing',
    at('/mcp', ({ headers }) => void (headers['www-authenticate'] = 'Bearer realm="x"')),
  ],
  [
    'browsers keep the challenge',
    'mcp-challenge-scripts',
    'browsers hide it',
    at('/mcp', ({ headers }) => void delete headers['access-control-expose-headers']),
  ],
  ['the metadata of a resource below a path is only at the root', 'mcp-resource-found', '404', answer(RESOURCE, 404)],
  ['a page of a framework for every path', 'mcp-resource-found', 'text/html', answer(RESOURCE, 200)],
  [
    'it names the origin of another issuer',
    'mcp-resource-name',
    'https://other.example/mcp',
    edit(RESOURCE, () => ({ resource: 'https://other.example/mcp' })),
  ],
  [
    'it names http behind a proxy',
    'mcp-resource-name',
    'ftp:',
    edit(RESOURCE, ({ resource }) => ({ resource: String(resource).replace(/^https?:/, 'ftp:') })),
  ],
  [
    'it names another path',
    'mcp-resource-name',
    '/mcp2',
    edit(RESOURCE, ({ resource }) => ({ resource: `${String(resource)}2` })),
  ],
  ['it names nothing', 'mcp-resource-name', 'missing', edit(RESOURCE, () => ({ resource: undefined }))],
  [
    'an alias with the resource of the root',
    'mcp-resource-identical',
    'it is',
    edit(RESOURCE, ({ resource }) => ({ resource: String(resource).replace(/mcp$/, '') })),
  ],
  [
    'scripts may not read it',
    'mcp-resource-scripts',
    'no Access-Control',
    at(RESOURCE, ({ headers }) => void delete headers['access-control-allow-origin']),
  ],
  [
    'offline_access among its scopes',
    'mcp-offline-access',
    'scopes_supported',
    edit(RESOURCE, () => ({ scopes_supported: ['notes.read', 'offline_access'] })),
  ],
  ['no authorization server', 'mcp-server-named', '[]', edit(RESOURCE, () => ({ authorization_servers: [] }))],
  [
    'an authorization server without its scheme',
    'mcp-server-named',
    'notes.example',
    edit(RESOURCE, () => ({ authorization_servers: ['notes.example'] })),
  ],
  [
    'an authorization server on http',
    'mcp-server-named',
    'http://notes.example',
    edit(RESOURCE, () => ({ authorization_servers: ['http://notes.example'] })),
  ],
  [
    'the metadata of the server is not there',
    'mcp-server-found',
    '404',
    (exchange) => {
      if (/authorization-server|openid/.test(exchange.path)) answer(exchange.path, 404)(exchange);
    },
  ],
  [
    'the issuer has a slash more',
    'mcp-server-issuer',
    'the other',
    edit(SERVER, ({ issuer }) => ({ issuer: `${String(issuer)}/` })),
  ],
  [
    'the issuer is another one',
    'mcp-server-issuer',
    'https://other.example',
    edit(SERVER, () => ({ issuer: 'https://other.example' })),
  ],
  [
    'endpoints are http behind a proxy',
    'mcp-server-endpoints',
    'token_endpoint is "http://notes.example/token"',
    edit(SERVER, () => ({ token_endpoint: 'http://notes.example/token' })),
  ],
  [
    'there is no authorization endpoint',
    'mcp-server-endpoints',
    'missing',
    edit(SERVER, () => ({ authorization_endpoint: undefined })),
  ],
  [
    'PKCE is not announced',
    'mcp-pkce',
    'missing',
    edit(SERVER, () => ({ code_challenge_methods_supported: undefined })),
  ],
  [
    'only plain is announced',
    'mcp-pkce',
    'plain',
    edit(SERVER, () => ({ code_challenge_methods_supported: ['plain'] })),
  ],
  [
    'nobody refreshes',
    'mcp-refresh',
    'authorization_code',
    edit(SERVER, () => ({ grant_types_supported: ['authorization_code'] })),
  ],
  [
    'only clients that are known',
    'mcp-clients',
    'neither',
    edit(SERVER, () => ({ registration_endpoint: undefined, client_id_metadata_document_supported: undefined })),
  ],
  [
    'none is not among the methods',
    'mcp-public-clients',
    'client_secret_basic',
    edit(SERVER, () => ({ token_endpoint_auth_methods_supported: ['client_secret_basic'] })),
  ],
  ['registration is not there', 'mcp-registration', '404', answer('/oauth/register', 404)],
  [
    'registration asks for a token',
    'mcp-registration',
    '401',
    answer('/oauth/register', 401, 'application/json', '{}'),
  ],
  ['registration answers with a page', 'mcp-registration', 'text/html', answer('/oauth/register', 400)],
  [
    'registration is no address',
    'mcp-registration',
    'it is not a URL',
    edit(SERVER, () => ({ registration_endpoint: '/register' })),
  ],
  ['the authorization endpoint is not there', 'mcp-authorize', '404', answer('/oauth/authorize', 404)],
  [
    'the authorization endpoint breaks at a client that it does not know',
    'mcp-authorize',
    '500',
    answer('/oauth/authorize', 500),
  ],
  ['a password in front of the authorization endpoint', 'mcp-authorize', '401', answer('/oauth/authorize', 401)],
  ['the token endpoint answers with a page', 'mcp-token', 'text/html', answer('/oauth/token', 400)],
  [
    'the token endpoint breaks',
    'mcp-token',
    '500',
    answer('/oauth/token', 500, 'application/json', '{"error":"server_error"}'),
  ],
];

describe('a server with one fault', () => {
  test('each rule reports its fault', () =>
    everyRow(BROKEN, async ([, rule, seen, spoil]) => {
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
    const broken = new Set<string>(BROKEN.map(([, rule]) => rule));
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
