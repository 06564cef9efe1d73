/**
 * Makes mutants of every writing call of the core, runs the scenarios that reach it until one breaks a promise, and writes the table: `npm run mutants`. In
 * one build, so that a mutant is a number. Arguments are patterns of rows: `npm run mutants -- chains.ts`. A run of the same code goes on where the last one was ended.
 *
 * @module
 */
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { parseSync, Visitor } from 'oxc-parser';
import { proofOf } from './equivalent.js';
import { KINDS } from './kinds.js';
import { PLANTED, type Planted } from './planted.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const table = `${root}test/orders/mutants/README.md`;
const OBJECTS = /(?:^|[.#])(?:records|chains|connections)$/;
const METHODS = /^(?:add|swap|delete|create|keep|end)$/;

/** Processes; each of them is polite. */
const PROCESSES = Number(process.env['MUTANTS_PROCESSES'] ?? 1);

/** Where a call is: its file, the function around it, and its text. */
const sites: string[] = [];

/** The name of the function or method around a place. */
const functionAt = (source: string, start: number): string =>
  [
    ...source
      .slice(0, start)
      .matchAll(/^(?:export )?const (\w+) = |^ {2}(?!return|if|for|while|throw)(?:async )?(#?\w+)(?:<.*>)?\(/gm),
  ]
    .map(([, outer, inner]) => outer ?? inner ?? '')
    .at(-1) ?? '';

/** `records.add(a, b)` becomes a call that a mutant may change. */
const instrumented = (file: string, source: string): string => {
  const changes: { readonly start: number; readonly end: number; readonly text: string }[] = [];
  const { program } = parseSync(file, source);
  new Visitor({
    CallExpression: ({ callee, arguments: given, start, end }) => {
      if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier' || given.length === 0) return;
      const object = source.slice(callee.object.start, callee.object.end);
      const { name } = callee.property;
      if (!METHODS.test(name) || !OBJECTS.test(object)) return;
      const call = `${object.replace(/^.*[.#]/, '')}.${name}`;
      const place = `${file.slice(`${root}src/core/`.length)} ${functionAt(source, start)} ${call}`;
      const earlier = sites.filter((site) => site.replace(/ \d+$/, '') === place).length;
      const number = sites.push(earlier === 0 ? place : `${place} ${earlier + 1}`) - 1;
      const all = source.slice(given[0]?.start, given.at(-1)?.end);
      changes.push({ start, end, text: `globalThis.mutable(${number}, ${object}, '${name}', [${all}])` });
    },
  }).visit(program);
  return changes
    .sort((one, other) => other.start - one.start)
    .reduce((text, change) => text.slice(0, change.start) + change.text + text.slice(change.end), source);
};

const plugin = (planted: Planted | undefined): Plugin => ({
  name: 'mutants',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      // What Records does with the store is no call of the core.
      if (planted === undefined && path.includes('/src/core/') && !path.endsWith('/base/records.ts'))
        return { contents: instrumented(path, source), loader: 'ts' };
      if (planted === undefined || root + planted.file !== path) return { contents: source, loader: 'ts' };
      const { file, text, instead } = planted;
      if (!source.includes(text)) throw new Error(`${file} no longer has: ${text}`);
      return { contents: source.replace(text, instead), loader: 'ts' };
    });
  },
});

const bundle = async (planted?: Planted): Promise<string> => {
  const cache = `${root}node_modules/.cache`;
  mkdirSync(cache, { recursive: true });
  const outfile = `${cache}/mutants-${planted === undefined ? 'all' : PLANTED.indexOf(planted)}.mjs`;
  await build({
    entryPoints: [`${root}test/orders/mutants/worker.ts`],
    outfile,
    ...{ bundle: true, platform: 'node', format: 'esm', packages: 'external', logLevel: 'error' },
    tsconfig: `${root}tsconfig.json`,
    plugins: [plugin(planted)],
  });
  return outfile;
};

interface Task {
  readonly title: string;
  readonly message: object;
  readonly planted?: Planted;
}

const main = await bundle();
const ofPlanted = await Promise.all(PLANTED.map((one) => bundle(one)));
const wanted = process.argv.slice(2).map((pattern) => new RegExp(pattern));
const all: readonly Task[] = [
  ...[...sites.keys()].flatMap((site) =>
    KINDS.map((kind) => ({ title: `${sites[site]} | ${kind}`, message: { site, kind } })),
  ),
  ...PLANTED.map((planted) => ({
    title: `${planted.file.replace('src/', '')} | ${planted.name}`,
    message: { scenarios: planted.scenarios },
    planted,
  })),
];
const tasks = all.filter(({ title }) => wanted.length === 0 || wanted.some((pattern) => pattern.test(title)));

const asked = async (worker: ChildProcess, message: object): Promise<string> => {
  const answer = Promise.race([
    once(worker, 'message'),
    once(worker, 'exit').then(() => Promise.reject(new Error('A worker has ended: its error is above.'))),
  ]);
  worker.send(message);
  return String((await answer)[0]);
};

const started = (file: string): ChildProcess => {
  const worker = fork(file);
  if (worker.pid !== undefined) setPriority(worker.pid, Number(process.env['MUTANTS_NICE'] ?? 19));
  return worker;
};

/** What this very code has come to: a run that was ended goes on. */
const code = createHash('sha256');
for (const file of [main, ...ofPlanted]) code.update(readFileSync(file));
const kept = `${root}node_modules/.cache/mutants-${code.digest('hex').slice(0, 16)}.json`;
const done = new Map<string, string>(
  existsSync(kept) ? (JSON.parse(readFileSync(kept, 'utf8')) as [string, string][]) : [],
);

/** What the table says, by title. */
const results = new Map(
  !existsSync(table)
    ? []
    : [...readFileSync(table, 'utf8').matchAll(/^\| (.+? \| .+?) \| (.+) \|$/gm)].map(
        ([, title = '', result = '']) => [title.replace(/ +\|/, ' |').trim(), result.trim()] as const,
      ),
);

const save = (): void => {
  const rows = all.flatMap(({ title }) => (results.has(title) ? [`| ${title} | ${results.get(title)} |`] : []));
  writeFileSync(table, `${readFileSync(`${root}test/orders/mutants/head.md`, 'utf8')}${rows.join('\n')}\n`);
};

const place = (title: string): string => title.split(' | ')[0] ?? '';

/** What the other mutants of a call were found by. */
const othersOf = (title: string): readonly string[] =>
  [...results].filter(([other]) => place(other) === place(title)).map(([, found]) => found);

const waiting = [...tasks];
const work = async (): Promise<void> => {
  const worker = started(main);
  for (let task = waiting.shift(); task !== undefined; task = waiting.shift()) {
    const { title, message, planted } = task;
    results.delete(title);
    const own = planted === undefined ? worker : started(ofPlanted[PLANTED.indexOf(planted)] ?? main);
    const found = proofOf(title) ?? done.get(title) ?? (await asked(own, { ...message, others: othersOf(title) }));
    if (planted !== undefined) own.kill();
    done.set(title, found);
    writeFileSync(kept, JSON.stringify([...done]));
    if (found === '') continue;
    results.set(title, /^(?:survives|not reached)$/.test(found) ? `**${found}**` : found.replaceAll('|', '/'));
    console.log(`${title} | ${results.get(title)}`);
    save();
  }
  worker.kill();
};
await Promise.all(Array.from({ length: PROCESSES }, work));
save();
execFileSync('npx', ['oxfmt', table], { cwd: root });
const open = [...results.values()].filter((result) => result.includes('**'));
const found = new Set([...results.keys()].map(place));
const without = [...new Set(all.map(({ title }) => place(title)))].filter((one) => !found.has(one));
console.log(`${results.size} mutants, ${open.length} open; calls without a row: ${without.join(', ') || 'none'}`);
process.exit(open.length === 0 && without.length === 0 ? 0 : 1);
