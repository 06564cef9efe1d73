import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { bundleOf } from '../bundle.js';
import { everyRow } from '../rows.js';
import { temporaryDirectory } from './engines/daemon.js';

const OTHER_LIBC = `throw Object.assign(new Error("Cannot find module '@libsql/linux-x64-musl'\\nRequire stack:\\n- /a"), { code: 'MODULE_NOT_FOUND' })`;
const OTHER_NODE = `throw Object.assign(new Error("The module was compiled against a different Node.js version using\\nNODE_MODULE_VERSION 115."), { code: 'ERR_DLOPEN_FAILED' })`;
const LATE = `module.exports = class { constructor() { throw new Error('only when it opens') } }`;

test('a SQLite driver that is installed and does not work is named with its reason, for a store and for content', async () => {
  const program = await bundleOf('test/stores/engines/sqlite-drivers.ts');
  await everyRow(
    [
      [{}, [], undefined],
      [{ libsql: OTHER_LIBC }, ['libsql', '@libsql/linux-x64-musl'], '@libsql/linux-x64-musl'],
      [{ 'better-sqlite3': OTHER_NODE }, ['better-sqlite3', 'NODE_MODULE_VERSION 115'], 'NODE_MODULE_VERSION 115'],
      [
        { 'better-sqlite3': LATE, libsql: OTHER_LIBC },
        ['better-sqlite3', 'only when it opens', 'libsql', 'musl'],
        'opens',
      ],
    ],
    async ([installed, named, cause]) => {
      const directory = temporaryDirectory();
      cpSync(dirname(program), directory, { recursive: true });
      for (const [name, text] of Object.entries(installed)) {
        mkdirSync(join(directory, 'node_modules', name), { recursive: true });
        writeFileSync(join(directory, 'node_modules', name, 'index.js'), text);
      }
      const { stdout } = await promisify(execFile)(process.execPath, [basename(program)], { cwd: directory });
      rmSync(directory, { recursive: true });
      const errors: { message: string; code?: string; cause?: string }[] = JSON.parse(stdout);
      expect(errors[0]).toMatchObject({ code: 'OQ114' });
      for (const { message, cause: given } of errors) {
        expect(message).not.toContain('\n');
        expect(message).toContain(named.length === 0 ? 'npm install libsql' : 'Install it again');
        for (const part of named) expect(message).toContain(part);
        expect(given ?? '').toContain(cause ?? '');
      }
    },
  );
});

test('a bundle of CommonJS, which has no import.meta.url, loads a driver from the folder of the process', async () => {
  const directory = temporaryDirectory();
  const contents = "import { requirePackage } from './src/peers/load.js'; console.log(requirePackage('libsql'));";
  const stdin = { contents, resolveDir: process.cwd() };
  const outfile = join(directory, 'bundle.cjs');
  await build({
    stdin,
    outfile,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    logLevel: 'error',
    logOverride: { 'empty-import-meta': 'silent' },
  });
  mkdirSync(join(directory, 'node_modules/libsql'), { recursive: true });
  writeFileSync(join(directory, 'node_modules/libsql/index.js'), "module.exports = 'found';");
  const { stdout } = await promisify(execFile)(process.execPath, [outfile], { cwd: directory });
  rmSync(directory, { recursive: true });
  expect(stdout.trim()).toBe('found');
});
