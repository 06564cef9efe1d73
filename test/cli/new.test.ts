import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, onTestFinished, test } from 'vitest';
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

const run = promisify(execFile);

test('the test of each starter passes, with the sources as the package', () =>
  everyRow(['express', 'koa', 'fastify'], async (framework) => {
    const target = folder();
    const { code, stdout } = await oauthQueryInProcess(['new', framework, target]);
    expect(code).toBe(0);
    expect(stdout).toContain('npm test');
    symlinkSync(join(ROOT, 'node_modules'), join(target, 'node_modules'));
    const { scripts, type } = JSON.parse(readFileSync(join(target, 'package.json'), 'utf8'));
    expect([type, scripts.test]).toEqual(['module', 'tsx --test app.test.ts']);
    const tsx = ['--import', 'tsx', '--test', 'app.test.ts'];
    const env = { ...process.env, TSX_TSCONFIG_PATH: join(ROOT, 'tsconfig.json') };
    const ran = await run(process.execPath, tsx, { cwd: target, env });
    expect(ran.stdout).toMatch(/pass 1\b/);
    const lines = ['app.ts', 'main.ts', 'app.test.ts'].map(
      (name) => readFileSync(join(target, name), 'utf8').split('\n').length,
    );
    expect(Math.max(...lines)).toBeLessThanOrEqual(60);
  }));

test('each starter listens where its variables say, and prints the address of its sign-in page', () =>
  everyRow(['express', 'koa', 'fastify'], async (framework) => {
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
  for (const name of ['app.ts', 'main.ts', 'app.test.ts', 'tsconfig.json']) rmSync(join(target, name));
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
  writeFileSync(join(target, 'package.json'), '{');
  expect(await oauthQueryInProcess(['new', 'koa', target])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('not valid JSON'),
  });
});
