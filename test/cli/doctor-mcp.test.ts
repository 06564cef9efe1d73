import { describe, expect, test } from 'vitest';
import { MCP_RULES } from '../../src/cli/doctor/mcp.js';
import { LIMIT } from '../../src/features/self-registration/registrations.js';
import { useStarted } from '../hosts/listen.js';
import { startNotes } from '../mcp/support/notes-server.js';
import { constantsOfSuite, limitsOfSuite } from '../oauth/support/limits.js';
import { everyRow } from '../rows.js';
import { type Exchange, type Spoil, startBadProxyFor } from './support/bad-proxy.js';
import { at, dropHeader, edit, type Fault, html, json, redirect, setHeader } from './support/broken-servers.js';
import { complaints, runDoctor } from './support/run-doctor.js';

const RESOURCE = '/.well-known/oauth-protected-resource/mcp';
const SERVER = '/.well-known/oauth-authorization-server';

limitsOfSuite({ clientFailures: 1000 });
constantsOfSuite(LIMIT, { registrations: 1000 });

const proxy = useStarted(() => startBadProxyFor((issuer) => startNotes({ issuer, cors: ['*'] })));

const walk = () => runDoctor(['--mcp', `${proxy.issuer}/mcp`]);

/** The proxy is one that lets browsers in, so that nothing is wrong but what a test does. */
const letBrowsersIn = (exchange: Exchange): void => {
  if (exchange.path === '/mcp') exchange.headers['access-control-allow-origin'] = '*';
};

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

test('on loopback, the scripts that count are those of loopback', async () => {
  proxy.spoil = ({ path, asked: { origin }, headers }) => {
    if (path === '/mcp' && origin?.startsWith('http://localhost:')) headers['access-control-allow-origin'] = origin;
  };
  expect(complaints(await walk())).toEqual([]);
});

test('a server at the root, and one for clients with documents only', async () => {
  const { clientDocuments } = await import('../../src/clients/index.js');
  const root = await startNotes({ clients: [clientDocuments({ trust: 'any' })] }, '/');
  const { findings } = await runDoctor(['--mcp', root.base]);
  expect(findings.filter(({ level }) => level === 'error' || level === 'warning')).toEqual([]);
  root.close();
});

/** Every way in which servers of others were found broken, and what the doctor says. */
const BROKEN: readonly Fault<keyof typeof MCP_RULES>[] = [
  ['mcp-answers', '404', at('/mcp', html(404))],
  ['mcp-answers', '502', at('/mcp', html(502))],
  ['mcp-answers', 'redirect to /mcp/', at('/mcp', redirect(308, '/mcp/'))],
  ['mcp-challenge', '200 with JSON', at('/mcp', json(200, '{}'))],
  ['mcp-challenge', '403', at('/mcp', html(403))],
  ['mcp-challenge', 'WWW-Authenticate is missing', at('/mcp', dropHeader('www-authenticate'))],
  [
    'mcp-challenge',
    'Basic',
    at(
      '/mcp',
      ({ headers }) => void (headers['www-authenticate'] = `Basic realm="x", ${String(headers['www-authenticate'])}`),
    ),
  ],
  ['mcp-challenge', 'WWW-Authenticate is Bearer', at('/mcp', setHeader('www-authenticate', 'Bearer'))],
  ['mcp-challenge-metadata', 'missing', at('/mcp', setHeader('www-authenticate', 'Bearer realm="x"'))],
  ['mcp-challenge-scripts', 'Expose-Headers is missing', at('/mcp', dropHeader('access-control-expose-headers'))],
  ['mcp-challenge-scripts', 'Allow-Origin is missing', at('/mcp', dropHeader('access-control-allow-origin'))],
  ['mcp-resource-found', '404', at(RESOURCE, html(404))],
  ['mcp-resource-found', 'text/html', at(RESOURCE, html(200))],
  ['mcp-resource-name', 'https://other.example/mcp', edit(RESOURCE, () => ({ resource: 'https://other.example/mcp' }))],
  [
    'mcp-resource-name',
    'ftp:',
    edit(RESOURCE, ({ resource }) => ({ resource: String(resource).replace(/^https?:/, 'ftp:') })),
  ],
  ['mcp-resource-name', '/mcp2', edit(RESOURCE, ({ resource }) => ({ resource: `${String(resource)}2` }))],
  ['mcp-resource-name', 'missing', edit(RESOURCE, () => ({ resource: undefined }))],
  [
    'mcp-resource-identical',
    'it is',
    edit(RESOURCE, ({ resource }) => ({ resource: String(resource).replace(/mcp$/, '') })),
  ],
  ['mcp-resource-scripts', 'no Access-Control', at(RESOURCE, dropHeader('access-control-allow-origin'))],
  [
    'mcp-offline-access',
    'scopes_supported',
    edit(RESOURCE, () => ({ scopes_supported: ['notes.read', 'offline_access'] })),
  ],
  ['mcp-server-named', '[]', edit(RESOURCE, () => ({ authorization_servers: [] }))],
  ['mcp-server-named', 'notes.example', edit(RESOURCE, () => ({ authorization_servers: ['notes.example'] }))],
  [
    'mcp-server-named',
    'http://notes.example',
    edit(RESOURCE, () => ({ authorization_servers: ['http://notes.example'] })),
  ],
  [
    'mcp-server-found',
    '404',
    (exchange) => {
      if (/authorization-server|openid/.test(exchange.path)) at(exchange.path, html(404))(exchange);
    },
  ],
  ['mcp-server-issuer', 'the other', edit(SERVER, ({ issuer }) => ({ issuer: `${String(issuer)}/` }))],
  ['mcp-server-issuer', 'https://other.example', edit(SERVER, () => ({ issuer: 'https://other.example' }))],
  [
    'mcp-server-endpoints',
    'token_endpoint is "http://notes.example/token"',
    edit(SERVER, () => ({ token_endpoint: 'http://notes.example/token' })),
  ],
  ['mcp-server-endpoints', 'missing', edit(SERVER, () => ({ authorization_endpoint: undefined }))],
  ['mcp-pkce', 'missing', edit(SERVER, () => ({ code_challenge_methods_supported: undefined }))],
  ['mcp-pkce', 'plain', edit(SERVER, () => ({ code_challenge_methods_supported: ['plain'] }))],
  ['mcp-refresh', 'authorization_code', edit(SERVER, () => ({ grant_types_supported: ['authorization_code'] }))],
  [
    'mcp-clients',
    'neither',
    edit(SERVER, () => ({ registration_endpoint: undefined, client_id_metadata_document_supported: undefined })),
  ],
  [
    'mcp-public-clients',
    'client_secret_basic',
    edit(SERVER, () => ({ token_endpoint_auth_methods_supported: ['client_secret_basic'] })),
  ],
  ['mcp-registration', '404', at('/oauth/register', html(404))],
  ['mcp-registration', '401', at('/oauth/register', json(401, '{}'))],
  ['mcp-registration', 'text/html', at('/oauth/register', html(400))],
  ['mcp-registration', 'it is not a URL', edit(SERVER, () => ({ registration_endpoint: '/register' }))],
  ['mcp-authorize', '404', at('/oauth/authorize', html(404))],
  ['mcp-authorize', '500', at('/oauth/authorize', html(500))],
  ['mcp-authorize', '401', at('/oauth/authorize', html(401))],
  ['mcp-token', 'text/html', at('/oauth/token', html(400))],
  ['mcp-token', '500', at('/oauth/token', json(500, '{"error":"server_error"}'))],
];

describe('a server with one fault', () => {
  test('each rule reports its fault', () =>
    everyRow(BROKEN, async ([rule, seen, spoil]) => {
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
