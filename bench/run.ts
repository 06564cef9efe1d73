/**
 * `npm run bench` and `npm run record`: installs the peers if they are missing, builds the package, compiles the benchmarks and
 * starts them with the given arguments.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ArgumentError, HELP, readArguments } from './arguments.js';
import { readRecordArguments, RECORD_HELP } from './record/arguments.js';
import { compareRecords, printComparison } from './record/compare.js';
import { printRecord, saveRecord } from './record/report.js';
import { readRecordFile } from './record/results.js';
import { PAGE } from './report/saved-files.js';

const folder = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('..', import.meta.url));
const modules = join(folder, 'node_modules');

/** The step has already printed the reason. */
class StepError extends Error {}

function step(command: string, args: readonly string[], cwd = root): void {
  const { status } = spawnSync(command, args, { cwd, stdio: ['ignore', 2, 2] });
  if (status !== 0)
    throw new StepError(`The benchmarks cannot run: \`${[command, ...args].join(' ')}\` failed, see above.`);
}

/** Installs the packages of the lock file, again whenever it changes. */
function installPeers(): void {
  const lock = readFileSync(join(folder, 'package-lock.json'), 'utf8');
  const installed = join(modules, '.installed-lock.json');
  if (existsSync(installed) && readFileSync(installed, 'utf8') === lock) return;
  console.error('Installing the peers in bench/ …');
  step('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], folder);
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

function bench(args: readonly string[]): number {
  // Invalid arguments fail before minutes are spent on preparations.
  if (readArguments(args) === 'help') {
    console.log(HELP);
    return 0;
  }
  return start('main.js', args);
}

function record(args: readonly string[]): number {
  const task = readRecordArguments(args);
  switch (task.kind) {
    case 'help':
      console.log(RECORD_HELP);
      return 0;
    case 'compare': {
      const [first, second] = task.files;
      return printComparison(compareRecords(readRecordFile(first), readRecordFile(second))) ? 0 : 1;
    }
    case 'report': {
      const results = readRecordFile(task.file);
      printRecord(results);
      if (task.save) {
        saveRecord(results);
        format();
      }
      return 0;
    }
    case 'measure':
      return start('record/main.js', args);
  }
}

function format(): void {
  step('node', ['node_modules/oxfmt/bin/oxfmt', PAGE, 'bench/results']);
}

/** Prepares everything, and starts a program of the benchmarks. */
function start(file: string, args: readonly string[]): number {
  installPeers();
  linkPackage();
  console.error('Building the package and the benchmarks …');
  step('node', ['--import', 'tsx', 'tools/build.ts']);
  rmSync(join(folder, 'dist'), { recursive: true, force: true });
  step('node', ['node_modules/typescript/bin/tsc', '-p', 'bench/tsconfig.json']);
  const program = join(folder, 'dist', 'bench', file);
  const { status } = spawnSync(process.execPath, [program, ...args], { cwd: root, stdio: 'inherit' });
  if (status === 0 && args.includes('--save')) format();
  return status ?? 1;
}

try {
  const [name, ...args] = process.argv.slice(2);
  process.exitCode = name === 'record' ? record(args) : bench(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof ArgumentError || error instanceof StepError)) throw error;
  console.error(error.message);
  process.exitCode = error instanceof ArgumentError ? 2 : 1;
}
