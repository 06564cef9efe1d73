import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { expect, test } from 'vitest';
import { DOCUMENTS, reasonNotToRun, ROOT } from './documents.js';

/** The functions that take the options of each root. A block of options alone stands in none of them. */
const TAKEN_BY: Readonly<Record<string, readonly string[]>> = {
  options: ['oauthQuery', 'createServer', 'testAuthorizationServer', ''],
  query: ['query', 'contentQuery', 'query options'],
  mcp: ['mcp'],
  openid: ['openIdConnect'],
};

/** The paths of all options in the reference, such as `options.lifetimes.session`. */
const pathsIn = (reference: string): readonly string[] => {
  let section = '';
  return reference.split('\n').flatMap((line) => {
    section = /^## (.+)$/.exec(line)?.[1] ?? section;
    const name = /^- `(\w+)`: /.exec(line)?.[1];
    return name === undefined || section.startsWith('Fields of') ? [] : [`${section}.${name}`];
  });
};

interface Part {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

/** `oauthQuery.lifetimes.session` for each property of an object in the code: the call around it, and the properties. */
function propertiesIn(code: string): readonly string[] {
  const { program, errors } = parseSync('example.ts', code, { lang: 'ts' });
  if (errors.length > 0) return [];
  const around: { readonly name: string; readonly part: Part }[] = [];
  const found: string[] = [];
  const close = (): void => void around.pop();
  new Visitor({
    CallExpression: (node) => {
      const { callee } = node;
      const name = callee.type === 'Identifier' ? callee.name : callee.type === 'MemberExpression' ? '?' : '';
      around.push({ name: `(${name}`, part: node });
    },
    'CallExpression:exit': close,
    Property: (node) => {
      const name = node.key.type === 'Identifier' ? node.key.name : '?';
      around.push({ name, part: node });
      const path = around.map((one) => one.name).join('.');
      found.push(path.slice(path.lastIndexOf('(') + 1));
    },
    'Property:exit': close,
  }).visit(program);
  return found;
}

/** Everything that a test compiles or runs. */
const examples = [
  ...DOCUMENTS.flatMap(({ blocks }) => blocks)
    .filter((block) => ['ts', 'js'].includes(block.lang) && reasonNotToRun(block) === undefined)
    .map(({ code, mark }) => (mark === 'options' ? `({${code}})` : code)),
  ...readdirSync(join(ROOT, 'examples'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ts|js)$/.test(name) && !name.includes('node_modules'))
    .map((name) => readFileSync(join(ROOT, 'examples', name), 'utf8')),
];

/** The options that no example shows. */
const unseen = (reference: string, codes: readonly string[]): readonly string[] => {
  const seen = new Set(codes.flatMap(propertiesIn));
  return pathsIn(reference).filter((path) => {
    const [root = '', ...names] = path.split('.');
    return !(TAKEN_BY[root] ?? []).some((call) => seen.has([call, ...names].filter((name) => name !== '').join('.')));
  });
};

test('every option is in an example that is compiled', () => {
  expect(unseen(readFileSync(join(ROOT, 'docs/options.md'), 'utf8'), examples)).toEqual([]);
});

test('an option that is only a word, or one of another function, is not in an example', () => {
  const reference = '## options\n\n- `issuer`: x\n- `cors`: x\n\n## options.lifetimes\n\n- `session`: x\n';
  const wanted = (code: string): readonly string[] => unseen(reference, [code]);
  expect(wanted("oauthQuery({ issuer: 'x', cors: [], lifetimes: { session: 60 } });")).toEqual([]);
  expect(wanted('// issuer\nquery({ cors: [] }); oauthQuery({ session: 60 });')).toEqual([
    'options.issuer',
    'options.cors',
    'options.lifetimes.session',
  ]);
});
