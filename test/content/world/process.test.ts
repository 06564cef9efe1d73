import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { bundleOf } from '../../bundle.js';

const run = promisify(execFile);

/** What a process may be given: a time zone, locales, and data of ICU. */
const PROCESSES = [
  { TZ: 'UTC', LANG: 'C', LC_ALL: 'C' },
  { TZ: 'Asia/Tokyo', LANG: 'ja_JP.UTF-8', LC_ALL: 'ja_JP.UTF-8' },
  { TZ: 'America/New_York', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' },
  { TZ: 'Australia/Lord_Howe', LANG: 'ar_EG.UTF-8', LC_ALL: 'az_AZ.UTF-8', NODE_ICU_DATA: '' },
];

test('answers have the same bytes whatever the time zone, the locale and the data of ICU of the process', async () => {
  const program = await bundleOf('test/content/world/answers-process.ts');
  const folder = mkdtempSync(join(tmpdir(), 'oauth-query-process-'));
  try {
    const answers: string[] = [];
    for (const [index, environment] of PROCESSES.entries()) {
      const place = join(folder, String(index));
      const icu = join(folder, 'no-icu');
      for (const path of [place, icu]) mkdirSync(path, { recursive: true });
      const data = 'NODE_ICU_DATA' in environment ? [`--icu-data-dir=${icu}`] : [];
      const { PATH = '' } = process.env;
      const options = { env: { ...environment, PATH }, maxBuffer: 2 ** 26 };
      answers.push((await run(process.execPath, [...data, program, place], options)).stdout);
    }
    expect(answers[0]?.split('\n').length).toBeGreaterThan(100);
    for (const answer of answers.slice(1)) expect(answer).toBe(answers[0]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
