import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT } from './documents.js';

const COMMITTED = join(ROOT, 'docs', 'reference');
const fresh = mkdtempSync(join(tmpdir(), 'oauth-query-reference-'));
let outcome: { readonly failed: boolean; readonly output: string };

beforeAll(async () => {
  outcome = await new Promise((resolve) => {
    const tsx = join(ROOT, 'node_modules/tsx/dist/cli.mjs');
    const args = [tsx, 'tools/api-reference.ts', fresh];
    execFile(process.execPath, args, { cwd: ROOT, env: { ...process.env, NO_COLOR: '1' } }, (error, stdout, stderr) =>
      resolve({ failed: error !== null, output: stdout + stderr }),
    );
  });
}, 180_000);
afterAll(() => rmSync(fresh, { recursive: true, force: true }));

const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .sort();

test('every public export, option and parameter has a docstring, and every link in one is valid', () => {
  expect(outcome.output.split('\n').filter((line) => line.includes('[warning]'))).toEqual([]);
  expect(outcome.failed).toBe(false);
});

test('docs/reference is what `npm run reference` writes', () => {
  expect(filesBelow(COMMITTED)).toEqual(filesBelow(fresh));
  const stale = filesBelow(fresh).filter(
    (name) => readFileSync(join(COMMITTED, name), 'utf8') !== readFileSync(join(fresh, name), 'utf8'),
  );
  expect(stale).toEqual([]);
});
