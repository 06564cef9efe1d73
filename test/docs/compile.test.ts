import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Block, reasonNotToRun, ROOT, WRITTEN } from './documents.js';

const blocks = WRITTEN.flatMap((document) => document.blocks).filter(
  (block) => ['ts', 'js'].includes(block.lang) && reasonNotToRun(block) === undefined,
);

const fileNameOf = ({ document, line }: Block): string => `${document.replaceAll(/[^\w]+/g, '-')}-${line}.ts`;

/** Lines stay where they are: what is added comes behind, or into the first and the last line. */
function programOf({ mark, code, given }: Block): string {
  const options = mark === 'options';
  const before = options ? "import { oauthQuery } from 'oauth-query/express'; oauthQuery({ " : '';
  return `${before}${code}${options ? '\n});' : ''}\n${given}\nexport {};\n`;
}

let folder: string;
let complaints: readonly string[];

beforeAll(async () => {
  // Below the root, so that packages are found from here.
  mkdirSync(join(ROOT, '.data'), { recursive: true });
  folder = mkdtempSync(join(ROOT, '.data', 'documents-'));
  const config = { extends: '../../tsconfig.json', compilerOptions: { moduleDetection: 'force' }, include: ['*.ts'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  for (const block of blocks) writeFileSync(join(folder, fileNameOf(block)), programOf(block));
  writeFileSync(
    join(folder, 'wrong.ts'),
    programOf({ ...blocks[0]!, mark: 'options', code: "issuer: 'https://example.org',\nscope: {},", given: '' }),
  );
  complaints = await new Promise((resolve) => {
    execFile(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder], { cwd: folder }, (_error, stdout) =>
      resolve(stdout.split('\n')),
    );
  });
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the compiler looks at the snippets, and sees what is wrong', () => {
  expect(blocks.length).toBeGreaterThan(30);
  expect(complaints).toContainEqual(expect.stringMatching(/^wrong\.ts\(2,\d+\): error .*'scope' does not exist/));
});

test.each(blocks.map((block) => [block.place, fileNameOf(block)]))('%s compiles', (_place, file) => {
  expect(complaints.filter((line) => line.startsWith(`${file}(`))).toEqual([]);
});
