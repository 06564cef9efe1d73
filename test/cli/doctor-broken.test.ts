import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DOCTOR_RULES } from '../../src/cli/doctor/examine.js';
import { type BadProxy, startBadProxy } from './support/bad-proxy.js';
import { BROKEN_SERVERS } from './support/broken-servers.js';
import { complaints, type Report, runDoctor } from './support/run-doctor.js';
import { soundOptions } from './support/sound-options.js';
import { everyRow } from '../rows.js';

let proxy: BadProxy;
beforeAll(async () => {
  proxy = await startBadProxy({ ...soundOptions(), limits: { clientFailures: 1000 } });
});
afterAll(() => proxy.close());

const closerLook = (): Promise<Report> =>
  runDoctor([proxy.issuer, '--client-id', 'service', '--secret-stdin'], 'a:b%c+d e');

test('a well-behaved proxy is not blamed', async () => {
  proxy.spoil = () => undefined;
  expect(complaints(await closerLook())).toEqual([]);
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
      expect(report.code).toBe(report.summary.error > 0 ? 1 : 0);
      if (severity === 'error') expect(report.code).toBe(1);
    }));
});
