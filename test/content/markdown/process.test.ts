import { execFile } from 'node:child_process';
import { utimesSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { bundleOf } from '../../bundle.js';
import { TestFolder } from './folder.js';

const run = promisify(execFile);

const FILES = {
  'c.md': 'text of c [[A]] #tag',
  'a.md': '---\ndate: 2024-01-02 10:30\ntags: [ı, i, İ]\n---\ntext of a',
  'b.md': '---\nlastmod: 2023-01-02\naliases: [old]\nauthor: ann\n---\ntext of b',
  'Z.md': '---\naliases: [new]\nauthor: bob\n---\ntext of z ![](img/boat.png)',
  'z.md': 'text of the second z',
  'ä/index.md': 'text of ä',
  'a\u0308.md': 'text of the same',
  'img/boat.png': '',
  'img/Boat.md': '---\ndate: 31/12/2024\n---\ntext of img',
};

const ZONES = ['UTC', 'Asia/Tokyo', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata', 'Pacific/Apia'];
const LOCALES = ['C', 'tr_TR.UTF-8', 'ar_EG.UTF-8'];

test('copies of a folder give the same bytes but times of files, in six time zones, three locales, and any order of the files on the disk', async () => {
  const program = await bundleOf('test/content/markdown/answers-process.ts');
  const { PATH = '' } = process.env;
  const answers: string[] = [];
  for (const [turn, TZ] of ZONES.entries()) {
    const folder = new TestFolder();
    const files = Object.entries(FILES);
    for (const [path, text] of turn % 2 === 0 ? files : files.reverse()) {
      folder.write({ [path]: text });
      const time = Date.UTC(2040 + ((path.length * (turn + 3)) % 7), 1, 1) / 1000;
      utimesSync(folder.at(path), time, time);
    }
    const LANG = LOCALES[turn % LOCALES.length] ?? '';
    const env = { PATH, TZ, LANG, LC_ALL: LANG };
    const { stdout } = await run(process.execPath, [program, folder.path, String(turn)], { env });
    answers.push(stdout.replaceAll(/204\d-02-01T00:00:00Z/g, 'the time of a file'));
  }
  expect(answers[0]).toContain('the time of a file');
  expect(answers[0]).toContain('"timestamp":"2024-01-02T10:30:00Z"');
  for (const answer of answers) expect(answer).toBe(answers[0]);
});
