/**
 * `npm run bench`: installs the peers if they are missing, builds the package, compiles the benchmarks and starts them with
 * the given arguments.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ArgumentError, HELP, readArguments } from './arguments.js';

const bench = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('..', import.meta.url));
const modules = join(bench, 'node_modules');

/** The step has already printed the reason. */
class StepError extends Error {}

function step(command: string, args: readonly string[], cwd = root): void {
  const { status } = spawnSync(command, args, { cwd, stdio: ['ignore', 2, 2] });
  if (status !== 0)
    throw new StepError(`The benchmarks cannot run: \`${[command, ...args].join(' ')}\` failed, see above.`);
}

/** Installs the packages of the lock file, again whenever it changes. */
function installPeers(): void {
  const lock = readFileSync(join(bench, 'package-lock.json'), 'utf8');
  const installed = join(modules, '.installed-lock.json');
  if (existsSync(installed) && readFileSync(installed, 'utf8') === lock) return;
  console.error('Installing the peers in bench/ …');
  step('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], bench);
  writeFileSync(installed, lock);
}

/** Installs the package, as it was just built, next to the peers. */
function linkPackage(): void {
  const link = join(modules, 'oauth-query');
  mkdirSync(modules, { recursive: true });
  if (!existsSync(join(link, 'package.json'))) {
    rmSync(link, { force: true });
    symlinkSync(root, link, 'junction');
  }
}

function main(args: readonly string[]): number {
  // Invalid arguments fail before minutes are spent on preparations.
  if (readArguments(args) === 'help') {
    console.log(HELP);
    return 0;
  }
  installPeers();
  linkPackage();
  console.error('Building the package and the benchmarks …');
  step('node', ['--import', 'tsx', 'tools/build.ts']);
  rmSync(join(bench, 'dist'), { recursive: true, force: true });
  step('node', ['node_modules/typescript/bin/tsc', '-p', 'bench/tsconfig.json']);
  const program = join(bench, 'dist', 'bench', 'main.js');
  const { status } = spawnSync(process.execPath, [program, ...args], { cwd: root, stdio: 'inherit' });
  if (status === 0 && args.includes('--save')) {
    step('node', ['node_modules/oxfmt/bin/oxfmt', 'docs/benchmarks.md', 'bench/results']);
  }
  return status ?? 1;
}

try {
  process.exitCode = main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof ArgumentError || error instanceof StepError)) throw error;
  console.error(error.message);
  process.exitCode = error instanceof ArgumentError ? 2 : 1;
}
