import { expect, test } from 'vitest';
import { OPENID_RULES } from '../../src/cli/doctor/openid.js';
import { openIdFixture } from '../features/openid/support.js';
import { useStarted } from '../hosts/listen.js';
import { everyRow } from '../rows.js';
import { type Spoil, startBadProxy } from './support/bad-proxy.js';
import { at, dropHeader, edit, type Fault, html, redirect } from './support/broken-servers.js';
import { complaints, runDoctor } from './support/run-doctor.js';

const DISCOVERY = '/.well-known/openid-configuration';
const REDIRECT = 'https://rp.example/cb';

const proxy = useStarted(() => startBadProxy(openIdFixture({}, { cors: ['*'] }).options));

const walk = (...more: readonly string[]) => runDoctor(['--openid', proxy.issuer, ...more]);
const walkAsClient = () => walk('--client-id', 'rp', '--redirect-uri', REDIRECT);

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
const BROKEN: readonly Fault<string>[] = [
  ['openid-found', '404', at(DISCOVERY, html(404))],
  ['openid-found', 'text/html', at(DISCOVERY, html(200))],
  ['openid-issuer', '/"', edit(DISCOVERY, ({ issuer }) => ({ issuer: `${String(issuer)}/` }))],
  ['openid-members', 'jwks_uri is missing', edit(DISCOVERY, () => ({ jwks_uri: undefined }))],
  ['openid-members', 'response_types_supported', edit(DISCOVERY, () => ({ response_types_supported: ['id_token'] }))],
  ['openid-endpoints', 'http://a.example/token', edit(DISCOVERY, () => ({ token_endpoint: 'http://a.example/token' }))],
  [
    'openid-below-issuer',
    'userinfo_endpoint',
    edit(DISCOVERY, ({ userinfo_endpoint: url }) => ({
      userinfo_endpoint: String(url).replace('127.0.0.1', 'localhost'),
    })),
  ],
  ['openid-algorithm', 'ES256', edit(DISCOVERY, () => ({ id_token_signing_alg_values_supported: ['ES256'] }))],
  ['openid-algorithm', 'none', edit(DISCOVERY, () => ({ id_token_signing_alg_values_supported: ['RS256', 'none'] }))],
  ['openid-scripts', 'no Access-Control', at(DISCOVERY, dropHeader('access-control-allow-origin'))],
  ['keys-found', '404', at('/oauth/jwks', html(404))],
  [
    'openid-key',
    'none for RS256',
    at('/oauth/jwks', (exchange) => {
      const { keys } = JSON.parse(exchange.body) as { keys: readonly { kty: string }[] };
      exchange.body = JSON.stringify({ keys: keys.filter(({ kty }) => kty !== 'RSA') });
    }),
  ],
  ['openid-authorize', '404', at('/oauth/authorize', html(404))],
  ['openid-silent', 'redirect to /login', at('/oauth/authorize', redirect(302, '/login'))],
  ['openid-silent', '200', at('/oauth/authorize', html(200))],
  ['openid-silent', 'access_denied', back(({ searchParams }) => searchParams.set('error', 'access_denied'))],
  ['openid-silent', 'state', back(({ searchParams }) => searchParams.delete('state'))],
  ['openid-silent', 'iss is missing', back(({ searchParams }) => searchParams.delete('iss'))],
  ['openid-token', 'text/html', at('/oauth/token', html(400))],
  ['openid-userinfo-listed', 'missing', edit(DISCOVERY, () => ({ userinfo_endpoint: undefined }))],
  ['openid-userinfo', 'redirect', at('/oauth/userinfo', redirect(302, '/login'))],
  ['openid-logout-listed', 'missing', edit(DISCOVERY, () => ({ end_session_endpoint: undefined }))],
  ['openid-logout', '500', at('/oauth/logout', html(500))],
  [
    'openid-logout-redirect',
    'signed-out',
    at('/oauth/logout', (exchange) => {
      exchange.status = 302;
      exchange.headers['location'] = exchange.query.get('post_logout_redirect_uri') ?? '';
    }),
  ],
];

test('O89: each rule reports its fault, and an error is the last thing that is said', async () => {
  await everyRow(BROKEN, async ([rule, seen, spoil]) => {
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
  await expect(runDoctor(['--redirect-uri', REDIRECT, proxy.issuer])).rejects.toThrow('only for --openid and --fapi2');
});
