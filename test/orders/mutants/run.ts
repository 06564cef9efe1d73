/**
 * Makes mutants of every writing call of the core, runs the scenarios that reach it until one breaks a promise, and prints a table. In one build, so that a
 * mutant is a number: `npm run mutants`.
 *
 * @module
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { parseSync, Visitor } from 'oxc-parser';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const OBJECTS = /(?:^|[.#])(?:records|chains|connections)$/;
const METHODS = /^(?:add|swap|delete|create|keep|end)$/;

interface Site {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

const sites: Site[] = [];

/** `records.add(a, b)` becomes a call that a mutant may change. */
const instrumented = (file: string, source: string): string => {
  const changes: { readonly start: number; readonly end: number; readonly text: string }[] = [];
  const { program } = parseSync(file, source);
  new Visitor({
    CallExpression: ({ callee, arguments: given, start, end }) => {
      if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier' || given.length === 0) return;
      const object = source.slice(callee.object.start, callee.object.end);
      if (!METHODS.test(callee.property.name) || !OBJECTS.test(object)) return;
      const line = source.slice(0, start).split('\n').length;
      const number = sites.push({ file: file.slice(root.length), line, text: `${object}.${callee.property.name}` }) - 1;
      const all = source.slice(given[0]?.start, given.at(-1)?.end);
      changes.push({
        start,
        end,
        text: `globalThis.mutable(${number}, ${object}, '${callee.property.name}', [${all}])`,
      });
    },
  }).visit(program);
  return changes
    .sort((one, other) => other.start - one.start)
    .reduce((text, change) => text.slice(0, change.start) + change.text + text.slice(change.end), source);
};

/** Old rules and planted faults: a text, and what takes its place when they are chosen. */
export const PLANTED: readonly (readonly [
  name: string,
  file: string,
  text: string,
  instead: string,
  scenario: string,
])[] = [
  ...([
    [
      'a proof with a nonce ends with its own time',
      'src/dpop/checker.ts',
      'if (nonceEnd !== undefined) return nonceEnd;',
      'if (nonceEnd !== undefined) return (iat + maxAge) * 1000;',
      'a proof with a nonce',
    ],
    [
      'a sign-in revives an ended connection',
      'src/core/oauth/tokens/connections.ts',
      'record?.ended === true ? undefined : record',
      'record',
      'a connection is ended',
    ],
    [
      'a swapped connection does not stay in its groups',
      'src/core/oauth/tokens/connections.ts',
      'records.swap(key, known.rev, next, listedIn)',
      'records.swap(key, known.rev, next)',
      'extended after hours',
    ],
    [
      'the end of a refresh is decided without `done`',
      'src/core/oauth/tokens/refresh-tokens.ts',
      'const isDone = chain.done !== null;',
      'const isDone = true;',
      'a token is refreshed and refreshed',
    ],
    [
      'grace is counted from the first write',
      'src/core/oauth/tokens/refresh-tokens.ts',
      'chain.done === null ? last : parseWritten(chain.done)',
      'last',
      'a token is refreshed and refreshed',
    ],
    [
      'remembered consent covers every resource',
      'src/core/oauth/code/remembered-consent.ts',
      '? consent.aud.length === 0',
      '? true',
      'remembered',
    ],
    [
      'work goes on for a client that has gone',
      'src/core/base/waiting.ts',
      '!request.hungUp && !answered.has(request)',
      'true',
      'redeemed and redeemed',
    ],
  ] as const),
];

const plugin = (planted: string | undefined): Plugin => ({
  name: 'mutants',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
      let source = readFileSync(path, 'utf8');
      for (const [name, file, text, instead] of PLANTED) {
        if (name !== planted || root + file !== path) continue;
        if (!source.includes(text)) throw new Error(`${file} no longer has: ${text}`);
        source = source.replace(text, instead);
      }
      const isCore = planted === undefined && path.includes('/src/core/oauth/');
      return { contents: isCore ? instrumented(path, source) : source, loader: 'ts' };
    });
  },
});

const bundle = async (planted?: string): Promise<string> => {
  const outfile = `${root}node_modules/.cache/mutants-${planted === undefined ? 'all' : PLANTED.findIndex(([name]) => name === planted)}.mjs`;
  await build({
    ...{
      entryPoints: [`${root}test/orders/mutants/worker.ts`],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
    },
    ...{ packages: 'external', tsconfig: `${root}tsconfig.json`, plugins: [plugin(planted)], logLevel: 'error' },
  });
  return outfile;
};

interface Worker {
  readonly prepare: () => Promise<void>;
  readonly killerOf: (site: number, kind: string) => Promise<string>;
  readonly killerOfAll: (scenario: string) => Promise<string>;
  readonly KINDS: readonly string[];
}

const rows: string[] = [];
const write = (): void =>
  writeFileSync(
    `${root}test/orders/mutants/README.md`,
    `${readFileSync(`${root}test/orders/mutants/head.md`, 'utf8')}\n${rows.join('\n')}\n`,
  );

const { prepare, killerOf, KINDS } = (await import(await bundle())) as Worker;
await prepare();
for (const [number, { file, line, text }] of sites.entries()) {
  for (const kind of KINDS) {
    const killer = await killerOf(number, kind);
    if (killer === '') continue;
    rows.push(`| ${file.replace(/^src\/core\/oauth\//, '')}:${line} \`${text}\` | ${kind} | ${killer} |`);
    console.log(rows.at(-1));
  }
  write();
}
for (const [name, file, , , scenario] of PLANTED) {
  const { killerOfAll } = (await import(await bundle(name))) as Worker;
  rows.push(`| ${file.replace(/^src\//, '')} | ${name} | ${await killerOfAll(scenario)} |`);
  console.log(rows.at(-1));
  write();
}
process.exit(0);
