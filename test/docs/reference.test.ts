import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT } from './documents.js';

const manifest: { readonly exports: Record<string, unknown> } = JSON.parse(
  readFileSync(join(ROOT, 'package.json'), 'utf8'),
);
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

test('every public export, option and parameter has a docstring, and every link in one is valid', () => {
  expect(outcome.output.split('\n').filter((line) => line.includes('[warning]'))).toEqual([]);
  expect(outcome.failed).toBe(false);
});

test('it has a page for each entry of the package', () => {
  const pages = readdirSync(fresh, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
  const entries = Object.entries(manifest.exports).flatMap(([name, target]) =>
    typeof target === 'string' ? [] : [`oauth-query${name.slice(1)}.md`],
  );
  expect(pages.toSorted()).toEqual([...entries, 'README.md'].toSorted());
});
