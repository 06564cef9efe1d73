import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { bundleOf } from '../bundle.js';
import { ROOT } from '../docs/documents.js';
import { startExample } from '../examples/process.js';
import { everyRow } from '../rows.js';
import { freePort } from '../stores/engines/daemon.js';
import { oauthQueryInProcess } from './program.js';

const folders: string[] = [];
const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), 'oauth-query-new-'));
  folders.push(made);
  return made;
};
afterEach(() => {
  for (const made of folders.splice(0)) rmSync(made, { recursive: true, force: true });
});

const FRAMEWORKS = ['express', 'koa', 'fastify'];
const FILES = ['app.ts', 'main.ts', 'app.test.ts'];

test('writes the starters, which are short, and whose tests pass', async () => {
  const programs: string[] = [];
  for (const framework of FRAMEWORKS) {
    const target = folder();
    const { code, stdout } = await oauthQueryInProcess(['new', framework, target]);
    expect(code).toBe(0);
    expect(stdout).toContain('npm test');
    const { scripts, type } = JSON.parse(readFileSync(join(target, 'package.json'), 'utf8'));
    expect([type, scripts.test]).toEqual(['module', 'tsx --test app.test.ts']);
    for (const name of FILES) {
      const written = readFileSync(join(target, name), 'utf8');
      expect(written).toBe(readFileSync(join(ROOT, 'examples/starters', framework, name), 'utf8'));
      expect(written.split('\n').length).toBeLessThanOrEqual(60);
    }
    programs.push(await bundleOf(`examples/starters/${framework}/app.test.ts`));
  }
  const ran = await promisify(execFile)(process.execPath, ['--test', ...programs]);
  expect(ran.stdout).toMatch(/pass 3\b/);
});

test('each starter listens where its variables say, and prints the address of its sign-in page', () =>
  everyRow(FRAMEWORKS, async (framework) => {
    const port = await freePort();
    const program = await startExample(`starters/${framework}/main.ts`, [], { PORT: String(port) });
    onTestFinished(async () => void (await program.stop()));
    const [address] = await program.until(/http:\S+(?=:)/);
    expect(address).toBe(`http://127.0.0.1:${port}/oauth/grants`);
    expect(await (await fetch(address)).text()).toContain('type="password"');
  }));

test('keeps what package.json has, and replaces no file', async () => {
  const target = folder();
  writeFileSync(
    join(target, 'package.json'),
    '{"name":"shop","dependencies":{"oauth-query":"file:x.tgz"},"scripts":{"test":"mine"}}',
  );
  const { stdout } = await oauthQueryInProcess(['new', 'koa', target]);
  expect(stdout).toMatch(/npm install$/m);
  const manifest = JSON.parse(readFileSync(join(target, 'package.json'), 'utf8'));
  expect(manifest).toMatchObject({ name: 'shop', scripts: { test: 'mine', start: 'tsx main.ts' } });
  expect(manifest.dependencies).toMatchObject({ 'oauth-query': 'file:x.tgz', koa: '^3.0.0' });
  writeFileSync(
    join(target, 'package.json'),
    JSON.stringify({ scripts: { test: 'echo "Error: no test specified" && exit 1' } }),
  );
  for (const name of [...FILES, 'tsconfig.json']) rmSync(join(target, name));
  await oauthQueryInProcess(['new', 'koa', target]);
  expect(JSON.parse(readFileSync(join(target, 'package.json'), 'utf8')).scripts.test).toBe('tsx --test app.test.ts');
  const again = await oauthQueryInProcess(['new', 'koa', target]);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('exists')]);
});

test('names the frameworks, and a package.json that cannot be read', async () => {
  expect(await oauthQueryInProcess(['new', 'hapi'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('express, koa, fastify'),
  });
  const target = folder();
  mkdirSync(target, { recursive: true });
  for (const [text, problem] of [
    ['{', 'not valid JSON'],
    ['null', 'not a JSON object'],
    ['[]', 'not a JSON object'],
  ] as const) {
    writeFileSync(join(target, 'package.json'), text);
    expect(await oauthQueryInProcess(['new', 'koa', target])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(problem),
    });
  }
});
