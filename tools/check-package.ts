/**
 * Checks the package: packs the output of `npm run build`, checks the tarball, installs it into an empty folder, and uses it
 * there.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkBundled } from './check-bundled.js';
import { checkCommandLine } from './check-command-line.js';
import { checkReadable } from './check-readable.js';
import { checkTypeSettings } from './check-type-settings.js';

interface Manifest {
  readonly exports: Readonly<Record<string, unknown>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

const root = fileURLToPath(new URL('..', import.meta.url));
const readJson = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
// `test/package.test.ts` checks its fields.
const manifest = readJson(join(root, 'package.json')) as Manifest;
const bin = (name: string): string => join(root, 'node_modules', '.bin', name);

/** Runs a program and returns its standard output. The error of a failed program includes its output. */
function run(cwd: string, program: string, ...args: readonly string[]): string {
  try {
    return execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (cause) {
    const { stdout = '', stderr = '' } = cause as { stdout?: string; stderr?: string };
    throw new Error(`${[program, ...args].join(' ')}\n${stdout}${stderr}`, { cause });
  }
}

/** Only what users need: compiled modules with their types, the guides, and the files of the command line. */
function checkFiles(paths: readonly string[]): void {
  const expected =
    /^(dist\/.+\.(js|d\.ts)|dist\/cli\/site\/sample\.xml|dist\/cli\/starters\/\w+\/(app|main|app\.test)\.ts|package\.json|README\.md|llms\.txt|LICENSE|CHANGELOG\.md|SECURITY\.md|docs\/[\w./-]+\.md|docs\/pictures\/[\w-]+\.(png|svg))$/;
  assert.deepEqual(
    paths.filter((path) => !expected.test(path)),
    [],
    'the tarball contains unexpected files',
  );
  for (const needed of [
    'README.md',
    'llms.txt',
    'LICENSE',
    'CHANGELOG.md',
    'dist/core/index.js',
    'dist/core/index.d.ts',
  ]) {
    assert.ok(paths.includes(needed), `the tarball lacks ${needed}`);
  }
}

/** The built files that importing a file loads. */
function loadedBy(file: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(file)) return found;
  found.add(file);
  const imports = readFileSync(file, 'utf8').matchAll(/^(?:import|export) .*["'](\.[^"']+)["'];$/gm);
  for (const [, path = ''] of imports) loadedBy(join(dirname(file), path), found);
  return found;
}

/** Node takes a third of a millisecond for each file, and a store must not load the server. */
function checkChunks(): void {
  const dist = join(root, 'dist');
  const server = join(dist, 'chunks/server.js');
  for (const framework of ['express', 'koa', 'fastify', 'node']) {
    const loaded = loadedBy(join(dist, 'adapters', framework, 'index.js'));
    // Otherwise the names of files have changed, and nothing below would fail.
    assert.ok(loaded.has(server), `${framework} does not load ${server}`);
    assert.ok(loaded.size <= 6, `${framework} loads many files`);
  }
  for (const entry of ['stores/memory.js', 'stores/redis.js', 'stores/postgres.js', 'resource-server/index.js'])
    assert.ok(!loadedBy(join(dist, entry)).has(server), `${entry} loads the server`);
}

/** Installed alone: only the runtime dependencies are installed, and every subpath can be imported without a framework. */
function useAlone(folder: string, tarball: string): void {
  install(folder, tarball);
  const arrived = readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'));
  assert.deepEqual(arrived.sort(), ['oauth-query', ...Object.keys(manifest.dependencies)].sort());
  const subpaths = Object.keys(manifest.exports).filter((subpath) => subpath !== './package.json');
  const script = subpaths.map((subpath) => `await import(${JSON.stringify(join('oauth-query', subpath))});`).join('\n');
  writeFileSync(join(folder, 'imports.mjs'), script);
  run(folder, process.execPath, 'imports.mjs');
  console.log(`  ${subpaths.length} subpaths can be imported with ${arrived.length - 1} dependencies and no framework`);
}

/** Installed with the frameworks: a TypeScript program compiles against the declarations, and runs. */
function useWithFrameworks(folder: string): void {
  const needed = ['express', 'koa', 'fastify', '@types/node', '@types/express', '@types/koa'];
  install(folder, ...needed.map(version));
  copyFileSync(join(root, 'tools', 'smoke', 'consumer.ts'), join(folder, 'consumer.ts'));
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--verbatimModuleSyntax'];
  const target = ['--target', 'es2023', '--module', 'nodenext', '--types', 'node', '--skipLibCheck', 'false'];
  const { stdout } = spawnSync(bin('tsc'), [...strict, ...target, 'consumer.ts'], { cwd: folder, encoding: 'utf8' });
  // Without the declarations of other packages, which have errors of their own.
  const ours = stdout.split('\n').filter((line) => /^(node_modules\/oauth-query\/|consumer\.ts|error)/.test(line));
  assert.deepEqual(ours, [], 'the declarations in the tarball do not compile');
  process.stdout.write(run(folder, process.execPath, 'consumer.js'));
}

/** The version that is installed in the checkout. */
function version(name: string): string {
  const { version: found } = readJson(join(root, 'node_modules', name, 'package.json')) as { version: string };
  return `${name}@${found}`;
}

/** `npm ci` has filled npm's cache for the checkout, so this rarely uses the network. */
function install(folder: string, ...what: readonly string[]): void {
  run(folder, 'npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error', ...what);
}

const temporary = mkdtempSync(join(tmpdir(), 'oauth-query-package-'));
try {
  // Without the script `prepack`, which would build again.
  const [packed] = JSON.parse(run(root, 'npm', 'pack', '--ignore-scripts', '--json', '--pack-destination', temporary));
  const tarball = join(temporary, packed.filename);
  checkFiles(packed.files.map(({ path }: { path: string }) => path));
  checkChunks();
  console.log(`${packed.filename}: ${packed.entryCount} files, ${Math.round(packed.size / 1024)} KiB`);
  run(root, bin('publint'), 'run', tarball, '--strict');
  console.log('  publint: no problems');
  run(root, bin('attw'), tarball, '--profile', 'esm-only');
  console.log('  attw: types and modules agree');
  const folder = join(temporary, 'consumer');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "name": "consumer", "private": true, "type": "module" }\n');
  useAlone(folder, tarball);
  checkReadable(folder, packed);
  await checkBundled(folder);
  await checkCommandLine(folder, root, () => install(folder, version('libsql')));
  useWithFrameworks(folder);
  checkTypeSettings(folder, root);
} finally {
  rmSync(temporary, { recursive: true, force: true });
}
