import { describe, expect, test } from 'vitest';
import { oneHostEach, useHost } from '../hosts.js';
import { oauthQueryInProcess } from './program.js';
import { complaints, runDoctor } from './support/run-doctor.js';
import { soundOptions } from './support/sound-options.js';

describe.each(oneHostEach)('a sound server on $name', ({ start }) => {
  const host = useHost({ start }, { options: soundOptions() });

  test('has no findings, after at most thirty requests', async () => {
    const args = [host.base, '--client-id', 'service', '--secret-stdin'];
    const report = await runDoctor(args, 'a:b%c+d e\n');
    expect(complaints(report)).toEqual([]);
    expect([report.code, report.issuer]).toEqual([0, host.base]);
    expect(report.requests).toBeLessThanOrEqual(30);
    expect(report.summary.ok).toBeGreaterThan(50);
    expect(host.errors).toEqual([]);
  });

  test('is reported as text, in one line with --quiet, and as JSON', async () => {
    const human = await oauthQueryInProcess(['doctor', host.base]);
    expect([human.code, human.stderr]).toEqual([0, '']);
    expect(human.stdout).toContain('ok      The metadata is at the location used by clients.\n');
    expect(human.stdout).toMatch(/\n\nhttp:\S+: \d+ ok, 0 notes, 0 warnings, 0 errors \(\d+ requests\)\.\n$/);
    const quiet = await oauthQueryInProcess(['doctor', '--quiet', `${host.base}/`]);
    expect(quiet.stdout.trim().split('\n')).toHaveLength(1);
    const machine = await oauthQueryInProcess(['doctor', '--json', host.base]);
    expect(JSON.parse(machine.stdout)).toMatchObject({ issuer: host.base, summary: { error: 0 } });
  });
});
