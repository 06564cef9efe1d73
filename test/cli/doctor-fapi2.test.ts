import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SecureVersion } from 'node:tls';
import { fapi2 } from 'oauth-query/fapi';
import { openIdConnect } from 'oauth-query/openid';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FAPI2_RULES } from '../../src/cli/doctor/fapi2.js';
import { KEY_RULES } from '../../src/cli/doctor/keys.js';
import { CLIENTS } from '../features/fapi/site.js';
import { P256 } from '../features/openid/support.js';
import { useStarted } from '../hosts/listen.js';
import { fixture } from '../oauth/support/fixture.js';
import { everyRow } from '../rows.js';
import { oauthQueryProgram } from './program.js';
import { type Certificate, type Spoil, startBadProxy } from './support/bad-proxy.js';
import { at, edit, type Fault, html, json, redirect, setHeader } from './support/broken-servers.js';
import { complaints, type Report, runDoctor } from './support/run-doctor.js';

const WELL_KNOWN = '/.well-known/oauth-authorization-server';
const FOREIGN = 'https://oauth-query-doctor.invalid';
const [{ client_id, redirect_uris }] = CLIENTS;
const SECRET = 'a secret of the tests, with 32 characters';

/** A server under the profile. */
const profile = () =>
  fixture({ secret: SECRET, features: [fapi2(), openIdConnect({ keys: [{ key: P256 }] })] as never }).options;
const options = () => ({
  ...profile(),
  clients: CLIENTS.map((client) => ({ ...client, scope: `openid ${client.scope}` })) as never,
});

const proxy = useStarted(() => startBadProxy(options()));
const examine = (...more: readonly string[]) => runDoctor(['--fapi2', proxy.issuer, ...more]);
const asClient = ['--client-id', client_id, '--redirect-uri', redirect_uris[0]] as const;

const OVER_TLS = ['fapi2-tls-version', 'fapi2-tls-suites', 'fapi2-hsts'];

test('reports nothing for a server under the profile', async () => {
  proxy.spoil = () => undefined;
  const report = await examine(...asClient);
  expect(complaints(report)).toEqual([]);
  expect(report.code).toBe(0);
  const rules = report.findings.map(({ rule }) => rule);
  const expected = [...Object.keys(FAPI2_RULES), ...Object.keys(KEY_RULES)].filter((rule) => !OVER_TLS.includes(rule));
  expect(rules.toSorted()).toEqual(expected.toSorted());
  const unknown = await examine();
  expect(complaints(unknown)).toEqual([]);
  const left = rules.filter((rule) => !unknown.findings.some((one) => one.rule === rule));
  expect(left).toEqual(['fapi2-unpushed', 'fapi2-client']);
});

const inMetadata = (more: Record<string, unknown>): Spoil => edit(WELL_KNOWN, () => more);

/** Departures, and what the doctor says. */
const BROKEN: readonly Fault<string>[] = [
  ['fapi2-metadata', '404', at(WELL_KNOWN, html(404))],
  ['fapi2-metadata', 'https://other.example', inMetadata({ issuer: 'https://other.example' })],
  ['fapi2-https', 'token_endpoint', inMetadata({ token_endpoint: 'http://bank.example/token' })],
  ['fapi2-grants', 'password enabled', inMetadata({ grant_types_supported: ['authorization_code', 'password'] })],
  ['fapi2-grants', 'implicit enabled', inMetadata({ grant_types_supported: undefined })],
  ['fapi2-grants', 'token', inMetadata({ response_types_supported: ['code', 'token'] })],
  [
    'fapi2-authentication',
    'client_secret_basic',
    inMetadata({ token_endpoint_auth_methods_supported: ['private_key_jwt', 'client_secret_basic'] }),
  ],
  ['fapi2-authentication', 'none', inMetadata({ revocation_endpoint_auth_methods_supported: ['none'] })],
  ['fapi2-authentication', 'missing', inMetadata({ token_endpoint_auth_methods_supported: undefined })],
  ['fapi2-bound-tokens', 'neither', inMetadata({ dpop_signing_alg_values_supported: undefined })],
  ['fapi2-algorithms', 'RS256', inMetadata({ id_token_signing_alg_values_supported: ['RS256', 'PS256'] })],
  ['fapi2-algorithms', 'ES384', inMetadata({ dpop_signing_alg_values_supported: ['ES256', 'ES384'] })],
  ['fapi2-pushed', 'require_pushed', inMetadata({ require_pushed_authorization_requests: false })],
  ['fapi2-pushed', 'endpoint', inMetadata({ pushed_authorization_request_endpoint: undefined })],
  [
    'fapi2-pushed-authentication',
    '201',
    at('/oauth/par', json(201, JSON.stringify({ request_uri: 'urn:x', expires_in: 60 }))),
  ],
  ['fapi2-pushed-authentication', 'text/html', at('/oauth/par', html(401))],
  ['fapi2-pkce', 'plain', inMetadata({ code_challenge_methods_supported: ['S256', 'plain'] })],
  ['fapi2-iss', 'missing', inMetadata({ authorization_response_iss_parameter_supported: undefined })],
  ['fapi2-redirect', '307', at('/oauth/authorize', redirect(307, '/login'))],
  ['fapi2-no-cors', 'Access-Control', at('/oauth/authorize', setHeader('access-control-allow-origin', FOREIGN))],
  ['fapi2-unpushed', '200', at('/oauth/authorize', html(200))],
  ['fapi2-unpushed', 'redirect to /login', at('/oauth/authorize', redirect(303, '/login'))],
  ['fapi2-client', 'invalid_grant', at('/oauth/token', json(400, JSON.stringify({ error: 'invalid_grant' })))],
  ['keys-found', '404', at('/oauth/jwks', html(404))],
];

test('each rule reports its departure, and the others are still examined', async () => {
  await everyRow(BROKEN, async ([rule, seen, spoil]) => {
    proxy.spoil = spoil;
    const { findings, code } = await examine(...asClient);
    const found = findings.find((finding) => finding.rule === rule);
    expect(found?.seen).toContain(seen);
    expect([found?.level, code]).toEqual(['error', 1]);
  });
  const broken = new Set(BROKEN.map(([rule]) => rule));
  expect(Object.keys(FAPI2_RULES).filter((rule) => !broken.has(rule))).toEqual(OVER_TLS);
});

test('several departures are all named', async () => {
  proxy.spoil = inMetadata({ code_challenge_methods_supported: ['plain'], response_types_supported: ['token'] });
  expect((await examine()).findings.flatMap(({ level, rule }) => (level === 'error' ? [rule] : []))).toEqual([
    'fapi2-grants',
    'fapi2-pkce',
  ]);
});

test('an ordinary server departs', async () => {
  const ordinary = await startBadProxy(fixture({ secret: SECRET }).options);
  const { findings } = await runDoctor(['--fapi2', ordinary.issuer]);
  const found = findings.flatMap(({ level, rule }) => (level === 'error' ? [rule] : []));
  await ordinary.close();
  expect(found).toEqual(expect.arrayContaining(['fapi2-authentication', 'fapi2-bound-tokens', 'fapi2-pushed']));
});

test('--fapi2 takes an issuer, and a client with its redirect URI', async () => {
  await expect(runDoctor(['--fapi2', 'a.example'])).rejects.toThrow('The issuer must be a URL');
  await expect(examine('--client-id', 'bank')).rejects.toThrow('With --fapi2, --client-id and --redirect-uri');
  await expect(examine(proxy.issuer)).rejects.toThrow('--fapi2 cannot be used with issuer');
  await expect(examine('--openid', proxy.issuer)).rejects.toThrow('--openid cannot be used with --fapi2');
  await expect(examine('--mcp', proxy.issuer)).rejects.toThrow('--mcp cannot be used with --fapi2');
});

describe('over TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'oauth-query-fapi2-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  let pair: Certificate;
  beforeAll(async () => {
    const { private: key, cert } = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
      extensions: [
        { name: 'basicConstraints', cA: true },
        { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
      ],
    });
    pair = { key, cert };
  });

  const examined = async (more: Partial<Certificate> & object = {}, hsts = 'max-age=31536000'): Promise<Report> => {
    const server = await startBadProxy(options(), { ...pair, ...more });
    server.spoil = setHeader('strict-transport-security', hsts);
    const authority = join(folder, `${server.port}.pem`);
    writeFileSync(authority, pair.cert);
    const env = { NODE_EXTRA_CA_CERTS: authority };
    const { code, stdout } = await oauthQueryProgram(['doctor', '--json', '--fapi2', server.issuer], { env });
    await server.close();
    return { code, ...JSON.parse(stdout) };
  };
  const MODERN = { ciphers: 'TLS_AES_128_GCM_SHA256:ECDHE-RSA-AES128-GCM-SHA256' };
  const old: SecureVersion = 'TLSv1.1';

  test.each([
    ['modern', MODERN, undefined, []],
    [
      'what Node offers',
      {},
      undefined,
      [expect.stringMatching(/^error fapi2-tls-suites: TLSv1\.2 with TLS_ECDHE_RSA_WITH_AES_128_CBC/)],
    ],
    ['no HSTS for long', MODERN, 'max-age=60', ['error fapi2-hsts: Strict-Transport-Security is max-age=60.']],
    [
      'an old version',
      { minVersion: old, ciphers: 'DEFAULT@SECLEVEL=0' },
      undefined,
      [
        expect.stringMatching(/^error fapi2-tls-version: TLSv1\.1 with /),
        expect.stringMatching(/fapi2-tls-suites: TLSv1\.2/),
      ],
    ],
    [
      'a suite without forward secrecy',
      { ciphers: 'AES128-SHA:ECDHE-RSA-AES128-GCM-SHA256', maxVersion: 'TLSv1.2' },
      undefined,
      [expect.stringMatching(/^error fapi2-tls-suites: TLSv1\.2 with TLS_RSA_WITH_AES_128_CBC_SHA/)],
    ],
  ] as const)('%s', async (_what, more, hsts, expected) => {
    const report = await examined(more as object, hsts);
    expect(complaints(report)).toEqual(expected);
    for (const rule of OVER_TLS) expect(report.findings.map((one) => one.rule)).toContain(rule);
  });
});
