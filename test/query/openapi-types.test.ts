import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { transformSync } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningSite, startSite } from '../site/support/running-site.js';

const run = promisify(execFile);
const require = createRequire(import.meta.url);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SAMPLE = join(ROOT, 'examples/site/sample.xml');
/** It is installed with the TypeScript version it needs, which is not the project's. */
const GENERATOR = join(ROOT, 'tools/openapi-types/node_modules/openapi-typescript/bin/cli.js');
const FETCH = dirname(require.resolve('openapi-fetch/package.json'));

/** A program that only uses the document: `@ts-expect-error` marks code that the types must reject. */
const PROGRAM = `
import createClient from 'openapi-fetch';
import type { components, paths } from './types.js';

const origin = process.argv[2] ?? '';
const client = createClient<paths>({
  baseUrl: origin,
  querySerializer: { array: { style: 'pipeDelimited', explode: false }, object: { style: 'form', explode: true } },
});

const pages = await client.GET('/api/query+allpages', {
  params: { query: { aplimit: 2, apfilterredir: 'nonredirects', format: 'json', formatversion: '2' } },
});
const titles = await client.GET('/api/query+info', {
  params: { query: { titles: ['Anchor', 'Main Page'], inprop: ['url', 'displaytitle'], redirects: true, formatversion: '2' } },
});
const generated = await client.GET('/api', {
  params: { query: { action: 'query', generator: 'allpages', generatorParameters: { gaplimit: 2 }, formatversion: '2' } },
});

// @ts-expect-error a value that is not on the list
const wrongValue: components['schemas']['allpagesParameters'] = { apfilterredir: 'some' };
// @ts-expect-error a switch is on or not there
const wrongSwitch: components['schemas']['QueryParameters'] = { redirects: false };
// @ts-expect-error a parameter that is missing
await client.GET('/api/query+search', { params: { query: { srlimit: 1 } } }).catch(() => undefined);
void [wrongValue, wrongSwitch];

console.log(JSON.stringify({
  pages: pages.data, titles: titles.data, generated: generated.data,
}));
`;

let site: RunningSite;
let folder: string;
beforeAll(async () => {
  site = await startSite(SAMPLE);
  folder = mkdtempSync(join(tmpdir(), 'oauth-query-types-'));
});
afterAll(async () => {
  await site.close();
  rmSync(folder, { recursive: true, force: true });
});

test('openapi-typescript generates types, and a program that uses them compiles and gets a response', async () => {
  const document = await fetch(`${site.origin}/api/openapi.json`);
  writeFileSync(join(folder, 'openapi.json'), await document.text());
  await run(process.execPath, [GENERATOR, join(folder, 'openapi.json'), '-o', join(folder, 'types.ts')]);
  const program = PROGRAM.replace(`'openapi-fetch'`, `'${pathToFileURL(FETCH).href}/dist/index.mjs'`);
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'program.ts'), PROGRAM);
  const settings = {
    compilerOptions: {
      ...{ strict: true, target: 'es2023', module: 'nodenext', lib: ['es2023', 'dom', 'dom.iterable'] },
      types: ['node'],
      ...{ noEmit: true, skipLibCheck: true, typeRoots: [join(ROOT, 'node_modules/@types')] },
      paths: { 'openapi-fetch': [join(FETCH, 'dist/index.d.mts')] },
    },
    files: ['program.ts', 'types.ts'],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings));
  const tsc = join(ROOT, 'node_modules/.bin/tsc');
  const compiled = await run(tsc, ['-p', folder, '--singleThreaded']).catch((error: { stdout: string }) => error);
  expect(compiled.stdout).toBe('');

  writeFileSync(join(folder, 'run.js'), transformSync(program, { loader: 'ts' }).code);
  const { stdout } = await run(process.execPath, [join(folder, 'run.js'), site.origin]);
  const answers: unknown = JSON.parse(stdout);
  expect(answers).toMatchObject({
    pages: { query: { allpages: [{ ns: 0, title: expect.any(String) }, { ns: 0 }] } },
    titles: {
      batchcomplete: true,
      query: { pages: [{ fullurl: expect.any(String) }, { displaytitle: expect.any(String) }] },
    },
    generated: { query: { pages: [{ ns: 0 }, { ns: 0 }] } },
  });
  expect(answers).not.toHaveProperty('titles.warnings');
  expect(answers).not.toHaveProperty('generated.warnings');
});
