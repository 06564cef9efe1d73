import { expect, test } from 'vitest';
import { DOCTOR_RULES } from '../../src/cli/doctor/examine.js';
import { listen, useStarted } from '../hosts/listen.js';
import { limitsOfSuite } from '../oauth/support/limits.js';
import { everyRow } from '../rows.js';
import { startBadProxy } from './support/bad-proxy.js';
import { BROKEN_SERVERS } from './support/broken-servers.js';
import { complaints, type Report, runDoctor } from './support/run-doctor.js';
import { soundOptions } from './support/sound-options.js';

limitsOfSuite({ clientFailures: 1000 });

const proxy = useStarted(() => startBadProxy(soundOptions()));

const closerLook = (): Promise<Report> =>
  runDoctor([proxy.issuer, '--client-id', 'service', '--secret-stdin'], 'a:b%c+d e');

test('a well-behaved proxy is not blamed', async () => {
  proxy.spoil = () => undefined;
  expect(complaints(await closerLook())).toEqual([]);
});

test('the secret is not sent to another origin that the metadata names', async () => {
  const received: string[] = [];
  const { origin } = await listen((request, response) => {
    received.push(`${request.method} ${request.headers.authorization ?? ''}`);
    response.end('{}');
  });
  proxy.spoil = (exchange) => {
    if (!exchange.path.includes('well-known')) return;
    exchange.body = JSON.stringify({ ...JSON.parse(exchange.body), token_endpoint: `${origin}/` });
  };
  const report = await closerLook();
  expect(complaints(report).join(' ')).toContain('error secret-host: the token endpoint is at');
  expect(received.length).toBeGreaterThan(0);
  expect(received.filter((line) => line.includes(Buffer.from('service:').toString('base64').slice(0, 8)))).toEqual([]);
});

test.each(['public', 'toClient'] as const)('each rule reports its fault: %s', (kind) =>
  everyRow(BROKEN_SERVERS[kind], async ([rule, seen, spoil]) => {
    proxy.spoil = spoil;
    const report = await (kind === 'toClient' ? closerLook() : runDoctor([proxy.issuer]));
    const found = report.findings.find((finding) => finding.rule === rule);
    const { severity, why, remedy } = DOCTOR_RULES[rule]!;
    expect(found).toMatchObject({ level: severity, why, remedy });
    expect(found?.seen).toContain(seen);
    expect(report.findings.map((finding) => finding.seen).join('')).not.toMatch(/[\p{C}\u2028]/u);
    expect(report.code).toBe(report.summary.error > 0 ? 1 : 0);
    if (severity === 'error') expect(report.code).toBe(1);
  }),
);
