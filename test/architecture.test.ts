import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Edge, loadedBy, parseSource, type SourceFile, sourceFiles } from './source-graph.js';

/**
 * Who may import whom: the first row whose `from` fits a file holds for it. `type ` in a target stands for imports that
 * are gone at run time; a name after `#` is what a package exports.
 */
const layers: readonly { readonly from: RegExp; readonly mayImport: readonly RegExp[] }[] = [
  {
    from: /^core\/oauth\//,
    mayImport: [
      /^(type )?core\/(oauth\/.+|[^/]+)\.ts$/,
      /^(type )?node:(crypto|buffer)(#|$)/,
      /^(type )?jose(#|$)/,
      /^type node:stream#/,
    ],
  },
  {
    // `isIPv6` is a pure function, so an address is judged without opening a socket.
    from: /^core\/query\//,
    mayImport: [
      /^(type )?core\/(query\/.+|[^/]+)\.ts$/,
      /^(type )?node:(crypto|buffer)(#|$)/,
      /^node:net(#isIPv6)?$/,
      /^type node:stream#/,
    ],
  },
  { from: /^core\//, mayImport: [/^(type )?core\//, /^(type )?node:(crypto|buffer)(#|$)/, /^type node:stream#/] },
  // The other drivers are handed in by the host. Only Node's own SQLite may be looked for, through `node:module`.
  { from: /^stores\/sqlite\.ts$/, mayImport: [/^type core\//, /^(type )?stores\//, /^node:module(#|$)/] },
  { from: /^stores\//, mayImport: [/^type core\//, /^(type )?stores\//, /^node:crypto(#|$)/] },
  { from: /^testing\//, mayImport: [/^type core\//, /^(type )?testing\//, /^node:assert(\/strict)?(#|$)/] },
  {
    from: /^resource-server\//,
    mayImport: [
      /^(type )?core\/(oauth\/bearer|[^/]+)\.ts$/,
      /^(type )?resource-server\//,
      /^(type )?jose(#|$)/,
      /^(type )?lru-cache(#|$)/,
      /^(type )?node:https?(#|$)/,
    ],
  },
  {
    from: /^adapters\/(front|plain)\.ts$/,
    mayImport: [/^type core\//, /^(type )?adapters\/(node|plain)\.ts$/, /^type node:http#/],
  },
  // The one place that knows the store which is used where the host names none.
  {
    from: /^adapters\/node\.ts$/,
    mayImport: [
      /^(type )?core\//,
      /^(type )?resource-server\//,
      /^stores\/memory\.ts$/,
      /^(type )?node:(http|stream)(#|$)/,
    ],
  },
  {
    from: /^adapters\/express\//,
    mayImport: [
      /^(type )?core\//,
      /^type resource-server\//,
      /^(type )?adapters\/((node|front)\.ts|express\/)/,
      /^type express(-serve-static-core)?#/,
      /^(type )?node:(http|stream)(#|$)/,
    ],
  },
  {
    from: /^adapters\/koa\//,
    mayImport: [
      /^(type )?core\//,
      /^type resource-server\//,
      /^(type )?adapters\/((node|front)\.ts|koa\/)/,
      /^type koa#/,
      /^(type )?node:(http|stream)(#|$)/,
    ],
  },
  {
    from: /^adapters\/fastify\//,
    mayImport: [
      /^(type )?core\//,
      /^type resource-server\//,
      /^(type )?adapters\/((node|front)\.ts|fastify\/)/,
      /^type fastify#/,
      /^fastify-plugin(#|$)/,
      /^(type )?node:(http|stream)(#|$)/,
    ],
  },
  // The demo has two starts, one of them in the package; the program brings it along.
  {
    from: /^cli\/(commands\/serve|plain-app)\.ts$/,
    mayImport: [
      /^(type )?cli\//,
      /^oauth-query(#createServer)?$/,
      /^adapters\/(node|plain)\.ts$/,
      /^(type )?\.\.\/examples\/demo\//,
      /^(type )?node:/,
    ],
  },
  // A program of its own, which nobody imports.
  { from: /^cli\//, mayImport: [/^(type )?cli\//, /^(type )?core\//, /^(type )?jose(#|$)/, /^(type )?node:/] },
];

const isAllowed = ({ from, to }: Edge): boolean =>
  layers.find((layer) => layer.from.test(from))?.mayImport.some((pattern) => pattern.test(to)) ?? false;

const forbiddenEdges = (files: readonly SourceFile[]): readonly string[] =>
  files.flatMap(({ edges }) => edges.filter((edge) => !isAllowed(edge)).map(({ from, to }) => `${from} → ${to}`));

const files = sourceFiles();
const inCore = files.filter(({ path }) => path.startsWith('core/'));
const isCatalogue = (path: string): boolean => path.startsWith('core/query/catalogue/');

describe('who may import whom', () => {
  test('every import in src keeps to its layer', () => {
    expect(forbiddenEdges(files)).toEqual([]);
  });

  test.each([
    ['core/server.ts', `import express from 'express';`, 'express'],
    ['core/server.ts', `import type { Request } from 'express';`, 'type express#Request'],
    ['core/server.ts', `export * from '../stores/memory.js';`, 'stores/memory.ts'],
    ['core/server.ts', `type Context = import('koa').Context;`, 'type koa#*'],
    ['core/server.ts', `const load = () => import('fastify');`, 'fastify#*'],
    ['core/server.ts', `import { type Readable } from 'node:stream';`, 'node:stream'],
    [
      'core/oauth/tokens.ts',
      `import type { ModuleDescriptor } from '../query/descriptor.js';`,
      'type core/query/descriptor.ts',
    ],
    ['core/query/parameters/parse.ts', `export { Tokens } from '../../oauth/tokens.js';`, 'core/oauth/tokens.ts'],
    ['core/query/pages/ip-address.ts', `import { connect } from 'node:net';`, 'node:net#connect'],
    ['stores/redis.ts', `import { LRUCache } from 'lru-cache';`, 'lru-cache'],
    ['stores/memory.ts', `import { Records } from '../core/records.js';`, 'core/records.ts'],
    ['adapters/koa/index.ts', `import { memoryStore } from '../../stores/memory.js';`, 'stores/memory.ts'],
    ['adapters/koa/index.ts', `import type { Request } from 'express';`, 'type express#Request'],
    ['adapters/express/index.ts', `import express from 'express';`, 'express'],
    ['adapters/express/guard.ts', `import { guard } from '../koa/guard.js';`, 'adapters/koa/guard.ts'],
    ['core/index.ts', `export { wrap } from '../cli/terminal.js';`, 'cli/terminal.ts'],
    ['cli/commands/secret.ts', `import chalk from 'chalk';`, 'chalk'],
    ['new-folder/file.ts', `import { hash } from 'node:crypto';`, 'node:crypto'],
  ])('a forbidden import would be seen: %s: %s', (path, text, target) => {
    expect(forbiddenEdges([parseSource(path, text)])).toContain(`${path} → ${target}`);
  });

  test('neither half of the core loads the other, not even through a shared file', () => {
    const reaches = (from: string, to: string): readonly string[] =>
      inCore
        .filter(({ path }) => path.startsWith(from))
        .filter(({ path }) => [...loadedBy(path, files)].some((loaded) => loaded.startsWith(to)))
        .map(({ path }) => path);
    expect({ oauth: reaches('core/oauth/', 'core/query/'), query: reaches('core/query/', 'core/oauth/') }).toEqual({
      oauth: [],
      query: [],
    });
  });

  test('the core as a package entry loads no store and no adapter', () => {
    expect([...loadedBy('core/index.ts', files)].filter((path) => /^(stores|adapters)\//.test(path))).toEqual([]);
  });
});

describe('the core stands alone', () => {
  const AMBIENT = /^(Date\.now|Math\.random|new Date\(\)|(console|process|performance|globalThis)\..+)$/;
  const FRAMEWORK = /\b(express|koa|fastify)\b/i;
  const ambientOf = ({ path, ambient }: SourceFile): readonly string[] =>
    ambient.filter((use) => AMBIENT.test(use)).map((use) => `${path}: ${use}`);

  test('it takes clock, randomness and output from its host', () => {
    expect(inCore.flatMap(ambientOf)).toEqual([]);
  });

  test.each(['Date.now()', 'Math.random()', 'new Date()', 'console.error(1)', 'process.env', 'const f = Date.now'])(
    'a clock or output of its own would be seen: %s',
    (text) => {
      expect(ambientOf(parseSource('core/server.ts', text))).toHaveLength(1);
    },
  );

  test('it names no framework', () => {
    expect(inCore.filter(({ text }) => FRAMEWORK.test(text)).map(({ path }) => path)).toEqual([]);
    expect(FRAMEWORK.test('// as Express does')).toBe(true);
  });
});

test('a file has at most 400 lines; the catalogue is data and may have more', () => {
  const tooLong = files.filter(({ path, text }) => !isCatalogue(path) && text.trimEnd().split('\n').length > 400);
  expect(tooLong.map(({ path }) => path)).toEqual([]);
});

describe('runtime dependencies', () => {
  const manifest: { dependencies: Record<string, string> } = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  );
  const imported = new Set(files.flatMap(({ edges }) => edges.map(({ to }) => to.split('#')[0] ?? to)));

  test('are exactly three', () => {
    expect(Object.keys(manifest.dependencies).sort()).toEqual(['fastify-plugin', 'jose', 'lru-cache']);
  });

  test('are each imported', () => {
    const unused = Object.keys(manifest.dependencies).filter((name) => !imported.has(name));
    expect(unused).toEqual([]);
  });
});
