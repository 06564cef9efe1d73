import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const DOCUMENTS = ['README.md', ...readdirMarkdown('docs')];

interface Snippet {
  /** Document and line, as a compiler would say it. */
  readonly place: string;
  readonly file: string;
  readonly code: string;
}

function readdirMarkdown(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));
}

/** Code that is marked to stand on its own: three backticks, `ts compile`. The rest shows a part of something. */
function snippetsOf(document: string): readonly Snippet[] {
  const text = readFileSync(join(ROOT, document), 'utf8');
  return Array.from(text.matchAll(/^```ts compile\n([^]*?)^```$/gm), ({ index, 1: code = '' }) => {
    const line = text.slice(0, index).split('\n').length + 1;
    return { place: `${document}:${line}`, file: `${basename(document, '.md')}-${line}.ts`, code };
  });
}

const snippets = DOCUMENTS.flatMap(snippetsOf);
let folder: string;
let complaints: string;

beforeAll(async () => {
  // Beside node_modules, so that packages are found from here.
  mkdirSync(join(ROOT, '.data'), { recursive: true });
  folder = mkdtempSync(join(ROOT, '.data', 'snippets-'));
  const config = { extends: '../../tsconfig.json', compilerOptions: { moduleDetection: 'force' }, include: ['*.ts'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  for (const { file, code } of snippets) writeFileSync(join(folder, file), code);
  writeFileSync(
    join(folder, 'wrong.ts'),
    "import type { ModuleHandlers } from 'oauth-query';\nexport const wrong: ModuleHandlers = { allpages: () => 1 };\n",
  );
  complaints = await new Promise((resolve) => {
    execFile(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder], { cwd: folder }, (_error, stdout) => resolve(stdout));
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the compiler looks at the snippets, and sees what is wrong', () => {
  expect(snippets.length).toBeGreaterThan(5);
  expect(complaints).toMatch(/^wrong\.ts\(2,\d+\): error/m);
});

test.each(snippets.map(({ place, file }) => [place, file]))('%s compiles', (_place, file) => {
  expect(complaints.split('\n').filter((line) => line.startsWith(file))).toEqual([]);
});
