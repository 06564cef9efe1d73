import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { emitDeclarations, type Manifest } from '../../tools/declarations.js';
import { everyRow } from '../rows.js';
import { type Block, fileOf, reasonNotToRun, ROOT, DOCUMENTS } from './documents.js';

/** What the examples in docstrings stand on, by their source. */
const GIVEN: Readonly<Record<string, string>> = {
  'src/stores/mysql.ts': `
    import mysql from 'mysql2/promise';
    import { mysqlStore } from 'oauth-query/stores/mysql';
    declare const uri: string;`,
  'src/stores/postgres.ts': `
    import { Pool } from 'pg';
    import { postgresStore } from 'oauth-query/stores/postgres';
    declare const connectionString: string;
    declare const log: (error: Error) => void;`,
  'src/stores/redis.ts': `
    import { type Cluster, Redis } from 'ioredis';
    import { redisStore } from 'oauth-query/stores/redis';
    import { createClient, type createCluster } from 'redis';
    declare const url: string;
    declare const log: (error: Error) => void;
    declare const cluster: ReturnType<typeof createCluster>;
    declare const redisCluster: Cluster;`,
  'src/testing/authorization-server.ts': `
    import { remoteGuard } from 'oauth-query/express';
    import { introspectionVerifier } from 'oauth-query/guard';
    import { testAuthorizationServer } from 'oauth-query/testing';`,
  'src/testing/feature-server.ts': `
    import { featureServer } from 'oauth-query/testing';
    import { tenants } from './tenants.js';`,
  'src/testing/store-contract.ts': `
    import test from 'node:test';
    import type { Clock, Store } from 'oauth-query/store';
    import { storeContract } from 'oauth-query/testing';
    declare const myStore: (options: { clock: Clock }) => Store;`,
  'src/testing/content-contract.ts': `import { test } from 'vitest';
    import type { ContentSource, MemoryPage } from 'oauth-query/content';
    import { contentContract } from 'oauth-query/testing';
    declare const filledWith: (pages: readonly MemoryPage[]) => Promise<ContentSource>;`,
};

/** The examples in the docstrings of a source file. */
function examplesOf(path: string): readonly Block[] {
  const text = readFileSync(join(ROOT, path), 'utf8');
  return Array.from(text.matchAll(/^ *\* ```ts\n((?: *\*.*\n)*?) *\* ```$/gm), ({ index, 1: lines = '' }) => {
    const line = text.slice(0, index).split('\n').length + 1;
    const code = lines.replace(/^ *\* ?/gm, '');
    return { document: path, line, place: `${path}:${line}`, lang: 'ts', mark: '', code, given: GIVEN[path] ?? '' };
  });
}

const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => `src/${name.replaceAll('\\', '/')}`)
  .sort();

const blocks = [
  ...DOCUMENTS.flatMap((document) => document.blocks).filter(
    (block) => ['ts', 'js'].includes(block.lang) && reasonNotToRun(block) === undefined,
  ),
  ...sources.flatMap(examplesOf),
];

/** A block of TypeScript with a name of its own can be imported by another one of its document. */
const fileNameOf = (block: Block): string => {
  const { document, line, lang } = block;
  return (lang === 'ts' ? fileOf(block) : undefined) ?? `${document.replaceAll(/[^\w]+/g, '-')}-${line}.ts`;
};

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
  // Against the declarations, as an application is: they take a third of the time of the sources, which `npm run types` checks.
  emitDeclarations(ROOT, join(folder, 'declarations'), ['--noCheck', '--singleThreaded']);
  const { exports }: Manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const paths = Object.entries(exports).flatMap(([subpath, target]) =>
    typeof target === 'string'
      ? []
      : [[`oauth-query${subpath.slice(1)}`, [target.types.replace('./dist/', './declarations/')]]],
  );
  const config = {
    extends: '../../tsconfig.json',
    compilerOptions: { moduleDetection: 'force', paths: Object.fromEntries(paths) },
    files: [], // none of those that the root adds
    include: ['*.ts'],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  for (const block of blocks) writeFileSync(join(folder, fileNameOf(block)), programOf(block));
  writeFileSync(
    join(folder, 'wrong.ts'),
    programOf({ ...blocks[0]!, mark: 'options', code: "issuer: 'https://example.org',\nscope: {},", given: '' }),
  );
  complaints = await new Promise((resolve) => {
    // Several threads would check the same sources several times.
    const args = ['-p', folder, '--singleThreaded'];
    execFile(join(ROOT, 'node_modules/.bin/tsc'), args, { cwd: folder }, (_error, stdout) =>
      resolve(stdout.split('\n')),
    );
  });
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the compiler checks the snippets, and finds errors', () => {
  expect(blocks.length).toBeGreaterThan(30);
  expect(complaints).toContainEqual(expect.stringMatching(/^wrong\.ts\(2,\d+\): error .*'scope' does not exist/));
});

test('every code block compiles', () =>
  everyRow(
    blocks.map((block) => [block.place, fileNameOf(block)]),
    ([, file]) => {
      expect(complaints.filter((line) => line.startsWith(`${file}(`))).toEqual([]);
    },
  ));
