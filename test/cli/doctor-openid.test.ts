import { expect, test } from 'vitest';
import { OPENID_RULES } from '../../src/cli/doctor/openid.js';
import { useStarted } from '../hosts/listen.js';
import { openIdFixture } from '../openid/support.js';
import { everyRow } from '../rows.js';
import { type Exchange, type Spoil, startBadProxy } from './support/bad-proxy.js';
import { rowsOf } from './support/broken-servers.js';
import { complaints, runDoctor } from './support/run-doctor.js';

const DISCOVERY = '/.well-known/openid-configuration';
const REDIRECT = 'https://rp.example/cb';

const proxy = useStarted(() => startBadProxy(openIdFixture({}, { cors: ['*'] }).options));

const walk = (...more: readonly string[]) => runDoctor(['--openid', proxy.issuer, ...more]);
const walkAsClient = () => walk('--client-id', 'rp', '--redirect-uri', REDIRECT);

const at =
  (path: string, spoil: (exchange: Exchange) => void): Spoil =>
  (exchange) => {
    if (exchange.path === path) spoil(exchange);
  };
const edit = (change: (document: Record<string, unknown>) => object): Spoil =>
  at(DISCOVERY, (exchange) => {
    const document = JSON.parse(exchange.body);
    exchange.body = JSON.stringify({ ...document, ...change(document) });
  });
const answer = (path: string, status: number, headers: Record<string, string> = {}): Spoil =>
  at(path, (exchange) =>
    Object.assign(exchange, { status, headers: { 'content-type': 'text/html', ...headers }, body: '<p>' }),
  );
/** The address to which a browser is sent back. */
const back = (change: (url: URL) => void): Spoil =>
  at('/oauth/authorize', ({ headers }) => {
    const url = new URL(String(headers['location']));
    change(url);
    headers['location'] = url.href;
  });

test('O89: reports nothing for a server that applications can sign users in with, and stores nothing', async () => {
  proxy.spoil = () => undefined;
  const report = await walkAsClient();
  expect(complaints(report)).toEqual([]);
  const rules = report.findings.map(({ rule }) => rule);
  expect(rules.filter((rule) => !rule.startsWith('keys-'))).toEqual(Object.keys(OPENID_RULES));
  expect(rules).toContain('keys-strong');
  expect([report.code, report.issuer]).toEqual([0, proxy.issuer]);
  // Without a client, only the step that needs one is left out.
  const unknown = await walk();
  expect(complaints(unknown)).toEqual([]);
  expect(rules.filter((rule) => !unknown.findings.some((one) => one.rule === rule))).toEqual(['openid-silent']);
});

/** Ways in which a server is broken for an application, and what the doctor says. */
const BROKEN = rowsOf<string>({
  'openid-found': {
    'it is switched off': ['404', answer(DISCOVERY, 404)],
    'a page for every path': ['text/html', answer(DISCOVERY, 200)],
  },
  'openid-issuer': { 'a slash more': ['/"', edit(({ issuer }) => ({ issuer: `${String(issuer)}/` }))] },
  'openid-members': {
    'no keys': ['jwks_uri is missing', edit(() => ({ jwks_uri: undefined }))],
    'only implicit': ['response_types_supported', edit(() => ({ response_types_supported: ['id_token'] }))],
  },
  'openid-endpoints': {
    'http behind a proxy': ['http://a.example/token', edit(() => ({ token_endpoint: 'http://a.example/token' }))],
  },
  'openid-below-issuer': {
    'another host': [
      'userinfo_endpoint',
      edit(({ userinfo_endpoint: url }) => ({ userinfo_endpoint: String(url).replace('127.0.0.1', 'localhost') })),
    ],
  },
  'openid-algorithm': {
    'no RS256': ['ES256', edit(() => ({ id_token_signing_alg_values_supported: ['ES256'] }))],
    'unsigned tokens': ['none', edit(() => ({ id_token_signing_alg_values_supported: ['RS256', 'none'] }))],
  },
  'openid-scripts': {
    'no script may read it': [
      'no Access-Control',
      at(DISCOVERY, ({ headers }) => void delete headers['access-control-allow-origin']),
    ],
  },
  'keys-found': { 'the keys are not there': ['404', answer('/oauth/jwks', 404)] },
  'openid-key': {
    'a key of another kind only': [
      'none for RS256',
      at('/oauth/jwks', (exchange) => {
        const { keys } = JSON.parse(exchange.body) as { keys: readonly { kty: string }[] };
        exchange.body = JSON.stringify({ keys: keys.filter(({ kty }) => kty !== 'RSA') });
      }),
    ],
  },
  'openid-authorize': { 'no page to sign in': ['404', answer('/oauth/authorize', 404)] },
  'openid-silent': {
    'a sign-in page in front': ['redirect to /login', answer('/oauth/authorize', 302, { location: '/login' })],
    'a page in a frame': ['200', answer('/oauth/authorize', 200, { location: '' })],
    'a client that is not allowed': [
      'access_denied',
      back(({ searchParams }) => searchParams.set('error', 'access_denied')),
    ],
    'the state is lost': ['state', back(({ searchParams }) => searchParams.delete('state'))],
    'the issuer is lost': ['iss is missing', back(({ searchParams }) => searchParams.delete('iss'))],
  },
  'openid-token': { 'the token endpoint answers with a page': ['text/html', answer('/oauth/token', 400)] },
  'openid-userinfo-listed': { 'no userinfo': ['missing', edit(() => ({ userinfo_endpoint: undefined }))] },
  'openid-userinfo': {
    'userinfo behind a sign-in page': ['redirect', answer('/oauth/userinfo', 302, { location: '/login' })],
  },
  'openid-logout-listed': { 'no logout': ['missing', edit(() => ({ end_session_endpoint: undefined }))] },
  'openid-logout': { 'the logout page breaks': ['500', answer('/oauth/logout', 500)] },
  'openid-logout-redirect': {
    'logout leads anywhere': [
      'signed-out',
      at('/oauth/logout', (exchange) => {
        exchange.status = 302;
        exchange.headers['location'] = exchange.query.get('post_logout_redirect_uri') ?? '';
      }),
    ],
  },
});

test('O89: each rule reports its fault, and an error is the last thing that is said', async () => {
  await everyRow(BROKEN, async ([rule, , seen, spoil]) => {
    proxy.spoil = spoil;
    const { findings, code } = await walkAsClient();
    const found = findings.find((finding) => finding.rule === rule);
    expect(found?.seen).toContain(seen);
    expect(found?.level).not.toBe('ok');
    expect(code).toBe(found?.level === 'error' ? 1 : 0);
    if (found?.level === 'error') {
      expect(findings.at(-1)).toBe(found);
      expect(findings.filter(({ level }) => level === 'error')).toHaveLength(1);
    }
  });
  const broken = new Set(BROKEN.map(([rule]) => rule));
  expect(Object.keys(OPENID_RULES).filter((rule) => !broken.has(rule))).toEqual([]);
});

test('O89: --openid takes an issuer, and a client with its redirect URI', async () => {
  await expect(runDoctor(['--openid', 'a.example'])).rejects.toThrow('The issuer must be a URL');
  await expect(walk('--client-id', 'rp')).rejects.toThrow('--client-id and --redirect-uri must be used together');
  await expect(walk(proxy.issuer)).rejects.toThrow('--openid cannot be used with issuer');
  await expect(walk('--mcp', proxy.issuer)).rejects.toThrow('--mcp cannot be used with --openid');
  await expect(runDoctor(['--redirect-uri', REDIRECT, proxy.issuer])).rejects.toThrow('only for --openid');
});
