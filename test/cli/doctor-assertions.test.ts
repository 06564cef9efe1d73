import { assertions } from 'oauth-query/assertions';
import { featureServer } from 'oauth-query/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ASSERTION_RULES } from '../../src/cli/doctor/assertions.js';
import { ID_JAG, JWT_BEARER, Signer } from '../features/assertions/support.js';
import { everyRow } from '../rows.js';
import { complaints, runDoctor } from './support/run-doctor.js';

const SECRET = 'a secret of the tests, with 32 characters';
const API = 'https://api.example';

let idp: Signer;
const start = () =>
  featureServer({
    scopes: { read: 'Read' },
    resources: [API],
    clients: [{ client_id: 'app', client_secret: SECRET, grant_types: [JWT_BEARER], scope: 'read' }],
    features: [
      assertions({
        issuers: [
          idp.entry({ kind: 'id-jag', owner: () => ({ sub: 'alice' }) }),
          idp.entry({ clients: { '17': 'app' } }),
        ],
      }),
    ],
  });
let server: Awaited<ReturnType<typeof start>>;

beforeAll(async () => {
  idp = await Signer.make('https://idp.example');
  server = await start();
});
afterAll(() => server.close());

const AS_CLIENT = ['--client-id', 'app', '--secret-stdin'] as const;
const examine = (assertion: string, ...more: readonly string[]) =>
  runDoctor(
    ['--assertions', server.issuer, '--assertion-stdin', ...more],
    `${assertion}\n${more.includes('--secret-stdin') ? `${SECRET}\n` : ''}`,
  );
const claims = (): Record<string, unknown> => ({ ...idp.claims(server.issuer), client_id: 'app', resource: API });

test('a server that accepts assertions has no findings, and keeps nothing of the check', async () => {
  const before = [...server.store.entries()].length;
  const report = await runDoctor(['--assertions', `${server.issuer}/`]);
  expect([complaints(report), report.code]).toEqual([[], 0]);
  expect(report.findings.map(({ rule }) => rule)).toEqual(
    Object.keys(ASSERTION_RULES).filter((rule) => rule.startsWith('assertions-')),
  );
  expect([...server.store.entries()].length).toBe(before);
});

test('an assertion is read, and with --send used', async () => {
  const assertion = await idp.sign(claims(), { typ: ID_JAG });
  for (let count = 0; count < 2; count += 1) expect(complaints(await examine(assertion, ...AS_CLIENT))).toEqual([]);
  const sent = await examine(assertion, ...AS_CLIENT, '--send');
  expect([complaints(sent), sent.findings.map(({ rule }) => rule)]).toEqual([[], Object.keys(ASSERTION_RULES)]);
  const again = await examine(assertion, ...AS_CLIENT, '--send');
  expect(complaints(again)).toEqual([expect.stringMatching(/^error assertion-accepted: .*400.*was used before/)]);
});

/** Assertions that break a rule: what is different, and what the doctor says. */
const BROKEN: readonly (readonly [rule: string, said: string, claims: Record<string, unknown>, header?: object])[] = [
  ['assertion-algorithm', '"ES256"', {}, { crit: ['b64'], b64: true }],
  ['assertion-type', '"at+jwt"', {}, { typ: 'at+jwt' }],
  ['assertion-issuer', 'missing', { iss: undefined }],
  ['assertion-audience', 'https://other.example', { aud: 'https://other.example' }],
  ['assertion-audience', '[', { aud: ['x', 'y'] }],
  ['assertion-times', 'missing', { exp: undefined }],
  ['assertion-times', 'exp passed', { exp: 1000 }],
  ['assertion-times', 'ahead', { nbf: 9_999_999_999 }],
  ['assertion-lifetime', 'lives', { exp: Math.floor(Date.now() / 1000) + 700 }],
  ['assertion-subject', '""', { sub: '' }],
  ['assertion-id', 'missing', { jti: undefined }],
  ['assertion-claims', 'client_id is missing', { client_id: undefined }],
  ['assertion-claims', 'client_id is "other"', { client_id: 'other' }],
  ['assertion-claims', 'resource is missing', { resource: undefined }],
  ['assertion-claims', 'authorization_details', { authorization_details: [] }],
];

test('an assertion that breaks a rule is not sent, and the first rule is named', () =>
  everyRow(BROKEN, async ([rule, said, changes, header]) => {
    const assertion = await idp.sign({ ...claims(), ...changes }, { typ: ID_JAG, ...header });
    const [first = ''] = complaints(await examine(assertion, ...AS_CLIENT));
    expect(first).toContain(` ${rule}: `);
    expect(first).toContain(said);
  }));

test.each(['no JWT', 'x'.repeat(20_000), 'e30.e30'])('%.20s is no assertion', async (text) => {
  expect(complaints(await examine(text))).toEqual([expect.stringMatching(/^error assertion-jwt: /)]);
});

test('a server without assertions is told how to accept them', async () => {
  const other = await featureServer({ scopes: { read: 'Read' } });
  expect(complaints(await runDoctor(['--assertions', other.issuer]))).toEqual([
    expect.stringMatching(/^error assertions-grant: grant_types_supported is \[/),
  ]);
  await other.close();
});

test.each([
  [['--assertions', 'https://as.example', '--send'], '--send needs --assertion-stdin'],
  [['--assertions', 'https://as.example', '--secret-stdin'], '--secret-stdin needs --client-id'],
  [['--assertions', 'https://as.example', '--api', '/api'], 'cannot be used with --api'],
  [['--assertion-stdin', 'https://as.example'], 'only for --assertions'],
])('%j: %s', async (args, sentence) => {
  await expect(runDoctor(args)).rejects.toThrow(sentence);
});

test('what standard input lacks is an error', async () => {
  const args = ['--assertions', 'https://as.example', '--assertion-stdin', ...AS_CLIENT];
  await expect(runDoctor(args, 'an assertion')).rejects.toThrow('must have 2 lines');
});
