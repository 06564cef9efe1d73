import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DOCTOR_RULES } from '../../src/cli/doctor/examine.js';
import { limitsOfSuite } from '../oauth/support/limits.js';
import { everyRow } from '../rows.js';
import { type BadProxy, startBadProxy } from './support/bad-proxy.js';
import { BROKEN_SERVERS } from './support/broken-servers.js';
import { complaints, type Report, runDoctor } from './support/run-doctor.js';
import { soundOptions } from './support/sound-options.js';

limitsOfSuite({ clientFailures: 1000 });

let proxy: BadProxy;
beforeAll(async () => {
  proxy = await startBadProxy(soundOptions());
});
afterAll(() => proxy.close());

const closerLook = (): Promise<Report> =>
  runDoctor([proxy.issuer, '--client-id', 'service', '--secret-stdin'], 'a:b%c+d e');

test('a well-behaved proxy is not blamed', async () => {
  proxy.spoil = () => undefined;
  expect(complaints(await closerLook())).toEqual([]);
});

test('the secret is not sent to another origin that the metadata names', async () => {
  const received: string[] = [];
  const thief = createServer((request, response) => {
    received.push(`${request.method} ${request.headers.authorization ?? ''}`);
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(thief, 'listening');
  const address = `http://127.0.0.1:${(thief.address() as AddressInfo).port}/`; // It listens on a port and not on a pipe.
  proxy.spoil = (exchange) => {
    if (!exchange.path.includes('well-known')) return;
    exchange.body = JSON.stringify({ ...JSON.parse(exchange.body), token_endpoint: address });
  };
  const report = await closerLook();
  thief.close();
  expect(complaints(report).join(' ')).toContain('error secret-host: the token endpoint is at');
  expect(received.length).toBeGreaterThan(0);
  expect(received.filter((line) => line.includes(Buffer.from('service:').toString('base64').slice(0, 8)))).toEqual([]);
});

describe('a server with one fault', () => {
  test('each rule reports its fault', () =>
    everyRow(BROKEN_SERVERS, async ({ rule, spoil, seen, closer }) => {
      proxy.spoil = spoil;
      const report = await (closer ? closerLook() : runDoctor([proxy.issuer]));
      const found = report.findings.find((finding) => finding.rule === rule);
      const { severity, why, remedy } = DOCTOR_RULES[rule]!;
      expect(found).toMatchObject({ level: severity, why, remedy });
      expect(found?.seen).toContain(seen);
      expect(report.findings.map((finding) => finding.seen).join('')).not.toMatch(/[\p{C}\u2028]/u);
      expect(report.code).toBe(report.summary.error > 0 ? 1 : 0);
      if (severity === 'error') expect(report.code).toBe(1);
    }));
});
