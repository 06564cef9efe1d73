import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { introspectionVerifier, jwtVerifier } from 'oauth-query/guard';
import { oauthQuery } from 'oauth-query/node';
import { query } from 'oauth-query/query';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { upgradesIn } from '../../src/cli/doctor/upgrade.js';
import { MOVED_OPTIONS, type MovedOption } from '../../src/core/base/moved.js';
import { everyRow } from '../rows.js';
import { oauthQueryInProcess } from './program.js';

let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'upgrade-'));
});

afterAll(() => rm(folder, { recursive: true }));

/** An option of an earlier version, once for each function that had it. */
const rows = MOVED_OPTIONS.flatMap((row) =>
  row.of.map((of): readonly [string, MovedOption, string] => [`${of}({ ${row.name} })`, row, of]),
);

/** `{ paths: { api } }` for `paths.api`. */
const nested = (name: string, value: unknown): Record<string, unknown> =>
  name
    .split('.')
    .toReversed()
    .reduce<unknown>((inner, key) => ({ [key]: inner }), value) as Record<string, unknown>;

const FUNCTIONS: Readonly<Record<string, (options: object) => unknown>> = {
  oauthQuery: (options) => oauthQuery(options),
  query: (options) => query(options),
  jwtVerifier: (options) => jwtVerifier(options as never),
  introspectionVerifier: (options) => introspectionVerifier(options as never),
};

test('each option of an earlier version is an error at startup that says what to write', () =>
  everyRow(rows, ([, { name, now, write }, of]) => {
    expect(() => FUNCTIONS[of]?.(nested(name, {}))).toThrow(
      expect.objectContaining({
        code: 'OQ111',
        message: expect.stringContaining(`options.${name} is now ${now}: ${write}`),
      }),
    );
  }));

test('doctor --upgrade prints the same for each of them, and its place', () =>
  everyRow(rows, async ([, { name, now, write }, of]) => {
    const file = join(folder, 'options.ts');
    const keys = name.split('.');
    const object = keys.reduceRight((inner, key) => `{ a: 1,\n ${key}: ${inner} }`, 'x()');
    await writeFile(file, `import { ${of} } from 'oauth-query';\n\nexport const made = ${of}(${object});\n`);
    const { code, stdout } = await oauthQueryInProcess(['doctor', '--upgrade', file]);
    expect(stdout).toBe(
      `${file}:${3 + keys.length}: ${name} is now ${now}.\n  ${write}\n1 option of earlier versions in 1 file.\n`,
    );
    expect(code).toBe(1);
    const json = await oauthQueryInProcess(['doctor', '--upgrade', '--json', file]);
    expect(JSON.parse(json.stdout)).toEqual([{ file, line: 3 + keys.length, option: name, now, write }]);
  }));

test('what to write instead is found in no file again', () =>
  everyRow(rows, ([, { write }]) => {
    const text = /^\w+\(/.test(write) ? write : `oauthQuery({ ${write} })`;
    expect(upgradesIn([{ file: 'a.ts', text }])).toEqual([]);
  }));

test('docs/migration/from-0.3.md has each of them', async () => {
  const page = await readFile(new URL('../../docs/migration/from-0.3.md', import.meta.url), 'utf8');
  const [, section = ''] = page.split('\n## Options\n');
  const found = (section.split('\n## ')[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').map((cell) => cell.trim()))
    // A sentence may follow what to write.
    .map(([, option, write = '']) => [option, write.split('`, ')[0]?.replaceAll('`', '')]);
  expect(found).toEqual(
    MOVED_OPTIONS.map(({ of, name, write }) => [of.map((one) => `\`${one}({ ${name} })\``).join(', '), write]),
  );
});

const optionsIn = (...texts: readonly string[]): readonly string[] =>
  upgradesIn(texts.map((text, at) => ({ file: `${at}.ts`, text }))).map(
    ({ file, line, option }) => `${file}:${line} ${option}`,
  );

test('options are found wherever a program has them', () => {
  expect(optionsIn('const options: AdapterOptions<Request> = {\n  par: x,\n};\noauthQuery(options);')).toEqual([
    '0.ts:2 par',
  ]);
  expect(optionsIn('export const shared = { "dpop": x };', 'oauthQuery({ issuer, ...shared })')).toEqual([
    '0.ts:1 dpop',
  ]);
  expect(optionsIn('oauthQuery<Map<string, Request>>({ paths: { token: [`/${a}`], api: "/api" } })')).toEqual([
    '0.ts:1 paths.api',
  ]);
  expect(optionsIn('oauthQuery({ // query: {}\n /* par: 1 */ query, stepUp })')).toEqual([
    '0.ts:2 query',
    '0.ts:2 stepUp',
  ]);
  expect(optionsIn('oauthQuery({ features: [query({\n mcp: {} })] })')).toEqual(['0.ts:2 mcp']);
});

test('other code is not mistaken for options', () => {
  expect(
    optionsIn('other({ query: 1 }); const a = { par: 1 }; oauthQuery({ owner: ({ query }) => ({ query }) })'),
  ).toEqual([]);
  expect(
    optionsIn('oauthQuery({ metadata: { query: 1 }, jwt: "oauthQuery({ query })" }); interface A { query: B }'),
  ).toEqual([]);
  expect(optionsIn('oauthQuery({ claims: { names, of({ par }) { return { dpop: 1 }; } } })')).toEqual([]);
});

test('reads a long file whose strings and comments do not end', () => {
  for (const text of ['/*', "'\\", '`\\', 'f<', 'const a = ', 'oauthQuery({ a: '])
    expect(optionsIn(text.repeat(100_000 / text.length))).toEqual([]);
});

test('the command line is checked', async () => {
  const wrong = async (...args: readonly string[]) =>
    (await oauthQueryInProcess(['doctor', '--upgrade', ...args])).stderr;
  expect(await wrong()).toMatch(/Name the files with your options/);
  expect(await wrong('--api', '/api', 'a.ts')).toMatch(/--upgrade cannot be used with --api/);
  expect(await wrong(join(folder, 'none.ts'))).toMatch(/none\.ts cannot be read: the file does not exist/);
  const sound = join(folder, 'sound.ts');
  await writeFile(sound, 'oauthQuery({ features: [] });');
  expect(await oauthQueryInProcess(['doctor', '--upgrade', sound])).toMatchObject({
    code: 0,
    stdout: '0 options of earlier versions in 1 file.\n',
  });
});
