import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Manifest } from '../tools/declarations.js';
import { ALONE } from '../vitest.config.js';
import { everyHost, hostFor } from './hosts.js';
import { everyRow } from './rows.js';
import {
  circleOf,
  type Edge,
  loadedBy,
  parseSource,
  repositoryFiles,
  type SourceFile,
  sourceFiles,
  unusedExports,
} from './source-graph.js';

/** Have no imports of their own, so the stores stay as small as they are. */
const SMALL = /^(core\/base\/(defined|mistakes|listeners|missing-package|one-line)|peers\/(load|sqlite))\.ts(#|$)/;

/** What this package's own content and features share with the query API, and others do not need. */
const TOOLKIT = /^(type )?core\/query\/toolkit\.ts(#|$)/;

/** A part of it, because the whole takes longer to load than all files of a server. */
const JOSE = /^(type jose|jose\/.+)(#|$)/;

const manifest: Pick<Manifest, 'exports'> & { readonly dependencies: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);

/** The entries of the package. */
const PUBLIC = Object.values(manifest.exports).flatMap((target) =>
  typeof target === 'string'
    ? []
    : [
        new RegExp(
          `^(type )?${target.default
            .replace('./dist/', '')
            .replace(/js$/, 'ts')
            .replaceAll('.', String.raw`\.`)}(#|$)`,
        ),
      ],
);

/**
 * Who may import whom: the first row whose `from` fits a file holds for it. `type ` in a target stands for imports that
 * are gone at run time; a name after `#` is what a package exports.
 */
const layers: readonly { readonly from: RegExp; readonly mayImport: readonly RegExp[] }[] = [
  // The ground, which knows neither half. `node:net` is for pure functions on addresses: no socket is opened.
  {
    from: /^core\/base\//,
    mayImport: [
      /^(type )?core\/base\//,
      /^(type )?node:(crypto|buffer)(#|$)/,
      /^node:net(#(isIPv4|isIPv6|isIP|BlockList))?$/,
    ],
  },
  // The port of features: below both halves. Its types name what the authorization server is made of.
  {
    from: /^core\/feature\//,
    mayImport: [/^(type )?core\/(base|feature)\//, /^type core\/oauth\//, /^type node:crypto#KeyObject$/],
  },
  {
    from: /^core\/oauth\//,
    mayImport: [/^(type )?core\/(base|oauth)\//, /^type core\/feature\//, /^(type )?node:(crypto|buffer)(#|$)/, JOSE],
  },
  {
    from: /^core\/query\//,
    mayImport: [
      /^(type )?core\/(base|query)\//,
      /^(type )?core\/feature\/(?!index)/,
      /^(type )?node:(crypto|buffer)(#|$)/,
      /^node:net(#isIPv6)?$/,
    ],
  },
  // The server plugs features in without knowing them.
  {
    from: /^core\/(server\/|(index|pages)\.ts)/,
    mayImport: [
      /^(type )?core\/(base|feature|oauth|server)\//,
      /^(type )?outbound\/(published-keys|send)\.ts(#|$)/,
      /^(type )?node:(crypto|buffer)(#|$)/,
      /^node:diagnostics_channel(#channel)?$/,
    ],
  },
  // Texts.
  {
    from: /^languages\//,
    mayImport: [
      /^(type )?core\/base\/pages\/languages\/english\.ts/,
      /^type (core\/query\/describe\/texts\/api-texts|features\/(admin|sessions)\/texts)\.ts/,
      /^languages\//,
    ],
  },
  // Features of the authorization server.
  {
    from: /^features\/admin\//,
    mayImport: [...PUBLIC, /^(type )?features\/admin\//, /^node:crypto(#|$)/],
  },
  // These use the port as features of others do.
  {
    from: /^features\/(par|self-registration|signed-introspection|step-up)\//,
    mayImport: [
      /^(type )?core\/feature\/index\.ts/,
      /^(type )?features\/(par|self-registration|signed-introspection|step-up)\//,
    ],
  },
  {
    from: /^features\/(personal-tokens|sessions)\//,
    mayImport: [
      /^(type )?core\/(feature\/index|pages)\.ts/,
      /^(type )?features\/(personal-tokens|sessions)\//,
      /^node:crypto(#|$)/,
    ],
  },
  // Two of its files read the parameters of step-up as that feature does, and one refuses those that the profile refuses.
  {
    from: /^features\/openid\//,
    mayImport: [
      /^(type )?core\/(feature\/index|pages)\.ts/,
      /^(type )?features\/openid\//,
      /^features\/step-up\/asked\.ts/,
      /^features\/fapi\/unsupported\.ts/,
      JOSE,
      /^(type )?node:crypto(#|$)/,
    ],
  },
  {
    from: /^features\/token-exchange\//,
    mayImport: [/^(type )?core\/feature\/index\.ts/, /^(type )?features\/token-exchange\//],
  },
  {
    from: /^features\/assertions\//,
    mayImport: [
      /^(type )?core\/feature\/index\.ts/,
      /^(type )?features\/assertions\//,
      JOSE,
      /^node:crypto(#|$)/,
      /^lru-cache(#|$)/,
    ],
  },
  // A feature that servers and verifiers share.
  {
    from: /^features\/dpop\//,
    mayImport: [
      /^(type )?core\/feature\/index\.ts/,
      /^(type )?features\/dpop\//,
      /^(type )?node:crypto(#|$)/,
      /^lru-cache(#|$)/,
    ],
  },
  // It is made of two others.
  {
    from: /^features\/fapi\//,
    mayImport: [/^(type )?core\/feature\/index\.ts/, /^(type )?features\/(dpop|par)\/index\.ts/, /^features\/fapi\//],
  },
  // Features that need the query API use it by its public names, as those of others would, and by its toolkit.
  {
    from: /^(mcp|openapi|sandbox)\//,
    mayImport: [
      ...PUBLIC,
      TOOLKIT,
      SMALL,
      /^(type )?(mcp|openapi|sandbox)\//,
      /^(type )?@modelcontextprotocol\/server#/,
      /^node:crypto(#|$)/,
    ],
  },
  // Content does so too. A database and files are for those who load them.
  {
    from: /^content\/markdown\//,
    mayImport: [
      /^(type )?core\/query\/index\.ts/,
      TOOLKIT,
      SMALL,
      /^(type )?content\//,
      /^(type )?(markdown-it|js-yaml)#\*$/,
      /^(type )?node:(crypto|fs|path|timers\/promises)(#|$)/,
    ],
  },
  {
    from: /^content\/(sqlite|mediawiki-export)\//,
    mayImport: [
      /^(type )?core\/query\/index\.ts/,
      TOOLKIT,
      SMALL,
      /^(type )?content\//,
      /^(type )?node:(module|buffer|crypto|fs|fs\/promises|stream|zlib)(#|$)/,
    ],
  },
  {
    from: /^content\//,
    mayImport: [
      /^(type )?core\/query\/index\.ts/,
      TOOLKIT,
      SMALL,
      /^(type )?content\/(?!sqlite|mediawiki-export|markdown)/,
      /^node:(crypto|net|timers\/promises)(#|$)/,
    ],
  },
  // The only place that looks for packages by a name that bundlers cannot see.
  {
    from: /^peers\//,
    mayImport: [/^core\/base\/missing-package\.ts/, /^peers\//, /^node:path(#|$)/, /^\(computed\)/],
  },
  {
    from: /^stores\/sqlite-(file|lock)\.ts$/,
    mayImport: [/^type core\//, SMALL, /^(type )?stores\//, /^node:(module|fs|timers\/promises)(#|$)/],
  },
  // The other drivers are loaded by `openStore` alone, when it is called, and otherwise handed in by the host.
  {
    from: /^stores\/open\.ts$/,
    mayImport: [/^type core\//, SMALL, /^(type )?stores\//, /^type (redis|ioredis|pg|mysql2\/promise|mariadb)#\*$/],
  },
  {
    from: /^stores\/drivers\//,
    mayImport: [
      SMALL,
      /^(type )?stores\//,
      /^type (redis|ioredis|pg|mysql2\/promise|mariadb)#/,
      /^node:(net|timers\/promises)(#|$)/,
    ],
  },
  { from: /^stores\//, mayImport: [/^type core\//, SMALL, /^(type )?stores\//, /^node:crypto(#|$)/] },
  // For tests of others, who only have public names.
  {
    from: /^testing\//,
    mayImport: [...PUBLIC, /^(type )?testing\//, /^(type )?node:(assert|http|net|events|crypto)(\/strict)?(#|$)/],
  },
  // Requests to servers that others name.
  {
    from: /^outbound\//,
    mayImport: [
      /^(type )?outbound\//,
      /^(type )?core\/base\//,
      /^type core\/feature\//,
      /^lru-cache(#|$)/,
      /^type node:https?#/,
      /^(type )?node:net(#|$)/,
      /^node:(https?|dns\/promises)#\*$/,
    ],
  },
  {
    from: /^clients\//,
    mayImport: [
      /^(type )?core\/(base|oauth\/(clients|events))\//,
      /^(type )?(clients|outbound)\//,
      /^(type )?lru-cache(#|$)/,
      /^node:crypto(#randomBytes)?$/,
      /^type node:https?#/,
    ],
  },
  {
    from: /^resource-server\//,
    mayImport: [
      /^(type )?core\/(base|feature)\//,
      /^(type )?resource-server\//,
      JOSE,
      /^(type )?node:crypto(#(createHash|createPrivateKey|createPublicKey|KeyObject|randomUUID))?$/,
      /^(type )?lru-cache(#|$)/,
      /^(type )?node:https?(#|$)/,
    ],
  },
  // The one place that knows the store which is used where the host names none.
  {
    from: /^adapters\/(facade|mount|route-table)\.ts$/,
    mayImport: [
      /^(type )?core\//,
      /^type resource-server\/verifier\.ts/,
      /^stores\/memory\.ts$/,
      /^(type )?adapters\/(mount|route-table)\.ts$/,
    ],
  },
  {
    from: /^adapters\/node\//,
    mayImport: [
      /^(type )?core\//,
      /^type resource-server\/verifier\.ts$/,
      /^(type )?adapters\/((facade|route-table)\.ts|node\/)/,
      /^type node:(http|stream)#/,
      /^node:net(#Server)?$/,
    ],
  },
  {
    from: /^adapters\/fetch\//,
    mayImport: [
      /^(type )?core\//,
      /^type resource-server\/verifier\.ts$/,
      /^(type )?adapters\/((facade|route-table)\.ts|fetch\/)/,
    ],
  },
  {
    from: /^adapters\/express\//,
    mayImport: [
      /^type core\//,
      /^type resource-server\/verifier\.ts$/,
      /^(type )?adapters\/((facade|route-table)\.ts|node\/message\.ts|express\/)/,
      /^type express(-serve-static-core)?#/,
      /^type node:http#/,
    ],
  },
  {
    from: /^adapters\/koa\//,
    mayImport: [
      /^type core\//,
      /^type resource-server\/verifier\.ts$/,
      /^(type )?adapters\/((facade|route-table)\.ts|node\/message\.ts|koa\/)/,
      /^type koa#/,
    ],
  },
  {
    from: /^adapters\/fastify\//,
    mayImport: [
      /^type core\//,
      /^type resource-server\/verifier\.ts$/,
      /^(type )?adapters\/((facade|route-table)\.ts|node\/message\.ts|fastify\/)/,
      /^type fastify#/,
      /^fastify-plugin(#|$)/,
      /^(type )?node:(http|stream)(#|$)/,
    ],
  },
  // The demo has two starts, one of them in the package; the program brings it and the starters along.
  {
    from: /^cli\/(commands\/(serve|new)|plain-app)\.ts$/,
    mayImport: [
      /^(type )?cli\//,
      /^oauth-query\/node(#oauthQuery)?$/,
      /^(type )?\.\.\/examples\/(demo|starters)\//,
      /^(type )?node:/,
    ],
  },
  // A separate program, which uses the package by its public names, and pure functions that every part shares.
  {
    from: /^cli\//,
    mayImport: [
      /^(type )?cli\//,
      /^(type )?oauth-query(\/(clients|stores\/open))?(#|$)/,
      /^core\/base\/(defined|moved|printable|http\/body|addresses\/(url|request-addresses))\.ts(#|$)/,
      /^(type )?jose(#|$)/,
      /^(type )?node:/,
    ],
  },
];

const isAllowed = ({ from, to }: Edge): boolean =>
  layers.find((layer) => layer.from.test(from))?.mayImport.some((pattern) => pattern.test(to)) ?? false;

const forbiddenEdges = (files: readonly SourceFile[]): readonly string[] =>
  files.flatMap(({ edges }) => edges.filter((edge) => !isAllowed(edge)).map(({ from, to }) => `${from} → ${to}`));

const files = sourceFiles();
const inCore = files.filter(({ path }) => path.startsWith('core/'));

describe('who may import whom', () => {
  test('every import in src follows the rules of its layer', () => {
    expect(forbiddenEdges(files)).toEqual([]);
  });

  test('forbidden imports are detected', () =>
    everyRow(
      [
        ['core/server/server.ts', `import express from 'express';`, 'express'],
        ['core/server/server.ts', `import type { Request } from 'express';`, 'type express#Request'],
        ['core/server/server.ts', `export * from '../../stores/memory.js';`, 'stores/memory.ts'],
        ['core/server/server.ts', `type Context = import('koa').Context;`, 'type koa#*'],
        ['core/server/server.ts', `const load = () => import('fastify');`, 'fastify#*'],
        ['core/server/server.ts', `import { type Readable } from 'node:stream';`, 'node:stream'],
        [
          'core/oauth/tokens/tokens.ts',
          `import type { ModuleDescriptor } from '../../query/descriptor/descriptor.js';`,
          'type core/query/descriptor/descriptor.ts',
        ],
        [
          'core/query/parameters/parse.ts',
          `export { Tokens } from '../../oauth/tokens/tokens.js';`,
          'core/oauth/tokens/tokens.ts',
        ],
        [
          'core/base/http/messages.ts',
          `import type { Client } from '../../oauth/clients/client.js';`,
          'type core/oauth/clients/client.ts',
        ],
        ['core/oauth/index.ts', `import { createServer } from '../server/server.js';`, 'core/server/server.ts'],
        ['resource-server/options.ts', `import { parseScope } from '../core/oauth/scope.js';`, 'core/oauth/scope.ts'],
        ['core/query/site/ip-address.ts', `import { connect } from 'node:net';`, 'node:net#connect'],
        [
          'mcp/tools.ts',
          `import { Warnings } from '../core/query/answer/warnings.js';`,
          'core/query/answer/warnings.ts',
        ],
        ['testing/bench.ts', `import type { Clock } from '../core/base/ports.js';`, 'type core/base/ports.ts'],
        ['core/server/server.ts', `import { query } from '../query/index.js';`, 'core/query/index.ts'],
        ['clients/versions.ts', `import { memoryStore } from '../stores/memory.js';`, 'stores/memory.ts'],
        [
          'clients/versions.ts',
          `import { Tokens } from '../core/oauth/tokens/tokens.js';`,
          'core/oauth/tokens/tokens.ts',
        ],
        ['stores/redis.ts', `import { LRUCache } from 'lru-cache';`, 'lru-cache'],
        ['stores/memory.ts', `import { Records } from '../core/base/records.js';`, 'core/base/records.ts'],
        ['adapters/koa/index.ts', `import { memoryStore } from '../../stores/memory.js';`, 'stores/memory.ts'],
        ['adapters/koa/index.ts', `import type { Request } from 'express';`, 'type express#Request'],
        ['adapters/express/index.ts', `import express from 'express';`, 'express'],
        ['adapters/express/index.ts', `import { jwtVerifier } from '../koa/index.js';`, 'adapters/koa/index.ts'],
        ['adapters/fetch/index.ts', `import { send } from '../node/message.js';`, 'adapters/node/message.ts'],
        ['adapters/fetch/message.ts', `import { Readable } from 'node:stream';`, 'node:stream#Readable'],
        ['core/index.ts', `export { wrap } from '../cli/terminal.js';`, 'cli/terminal.ts'],
        ['cli/commands/secret.ts', `import chalk from 'chalk';`, 'chalk'],
        ['cli/commands/secret.ts', `import { sha256 } from '../../core/base/secrets.js';`, 'core/base/secrets.ts'],
        ['new-folder/file.ts', `import { hash } from 'node:crypto';`, 'node:crypto'],
      ],
      ([path, text, target]) => {
        expect(forbiddenEdges([parseSource(path, text)])).toContain(`${path} → ${target}`);
      },
    ));

  test('there are no circular imports, including type imports', () => {
    expect(circleOf(files)).toBeUndefined();
    const planted = [
      parseSource('core/base/a.ts', `import type { B } from './b.js';`),
      parseSource('core/base/b.ts', `import { c } from './c.js';`),
      parseSource('core/base/c.ts', `export type { A } from './a.js';`),
    ];
    expect(circleOf(planted)).toEqual(['core/base/a.ts', 'core/base/b.ts', 'core/base/c.ts', 'core/base/a.ts']);
  });

  test('the folders of each half form no circle, including type imports', () => {
    const rooms = (half: string, all: readonly SourceFile[]) => {
      const roomOf = (path: string): string | undefined => new RegExp(`^${half}/[^/]+`).exec(path)?.[0];
      const edges = new Map<string, Edge[]>();
      for (const { path, edges: own } of all) {
        const from = roomOf(path);
        if (from === undefined) continue;
        const targets = own
          .map(({ to }) => roomOf(to.replace(/^type /, '')))
          .filter((to) => to !== undefined && to !== from);
        edges.set(from, [...(edges.get(from) ?? []), ...targets.map((to) => ({ from, to: to ?? '' }))]);
      }
      return [...edges].map(([path, own]): SourceFile => ({ path, text: '', edges: own, ambient: [] }));
    };
    for (const half of ['core/base', 'core/oauth', 'core/query'])
      expect([half, circleOf(rooms(half, files))]).toEqual([half, undefined]);
    const planted = [
      parseSource('core/oauth/clients/a.ts', `import type { B } from '../tokens/b.js';`),
      parseSource('core/oauth/tokens/b.ts', `export {};`),
      parseSource('core/oauth/tokens/c.ts', `import { d } from '../clients/d.js';`),
    ];
    expect(circleOf(rooms('core/oauth', planted))).toEqual([
      'core/oauth/clients',
      'core/oauth/tokens',
      'core/oauth/clients',
    ]);
  });

  test('neither half of the core loads the other, not even indirectly', () => {
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
  const AMBIENT =
    /^(Date\.now|Math\.random|new Date\(\)|set(Timeout|Interval|Immediate)|(console|process|performance|globalThis|crypto)\..+)$/;
  const RANDOM = /^node:crypto#(random|generate(?!KeyPair)|getRandomValues|webcrypto|\*)/;
  /** The one file that takes anything from the machine by itself. */
  const SYSTEM = 'core/base/system.ts';
  const FRAMEWORK = /\b(express|koa|fastify)\b/i;
  const ambientOf = ({ path, ambient, edges }: SourceFile): readonly string[] =>
    [...ambient.filter((use) => AMBIENT.test(use)), ...edges.map(({ to }) => to).filter((to) => RANDOM.test(to))].map(
      (use) => `${path}: ${use}`,
    );

  test('it only uses the clock, timers, randomness and output from its options', () => {
    const [ofSystem, others] = [
      inCore.filter(({ path }) => path === SYSTEM),
      inCore.filter(({ path }) => path !== SYSTEM),
    ];
    expect(others.flatMap(ambientOf)).toEqual([]);
    expect(ofSystem.flatMap(ambientOf)).not.toEqual([]);
  });

  test('direct uses of clock, timer, randomness or output are detected', () =>
    everyRow(
      [
        'Date.now()',
        'Math.random()',
        'new Date()',
        'console.error(1)',
        'process.env',
        'const f = Date.now',
        'setTimeout(f, 1)',
        'const later = setInterval',
        'performance.now()',
        'crypto.getRandomValues(bytes)',
        `import { randomBytes } from 'node:crypto'`,
        `import { randomUUID as id } from 'node:crypto'`,
        `import * as crypto from 'node:crypto'`,
      ],
      (text) => {
        expect(ambientOf(parseSource('core/server/server.ts', text))).toHaveLength(1);
      },
    ));

  test('it names no framework', () => {
    expect(inCore.filter(({ text }) => FRAMEWORK.test(text)).map(({ path }) => path)).toEqual([]);
    expect(FRAMEWORK.test('// as Express does')).toBe(true);
  });
});

test.each(['oauth', 'query'])('CONTRIBUTING.md names the folders of core/%s', (half) => {
  const layout = readFileSync(new URL('../CONTRIBUTING.md', import.meta.url), 'utf8');
  const lines = new RegExp(`^  ${half}/ .*\\n(?: {20}.*\\n)*`, 'm').exec(layout)?.[0] ?? '';
  const [, ...named] = [...lines.matchAll(/([a-z-]+)\//g)].map(([, folder]) => folder);
  const inHalf = inCore.filter(({ path }) => path.startsWith(`core/${half}/`));
  const folders = new Set(inHalf.flatMap(({ path }) => /^core\/[a-z]+\/([a-z-]+)\//.exec(path)?.[1] ?? []));
  expect(new Set(named)).toEqual(folders);
});

test('only three files create HTML without escaping: the tag, custom pages, the script of the sandbox', () => {
  expect(files.filter(({ text }) => text.includes('Html.trusted(')).map(({ path }) => path)).toEqual([
    'core/base/html.ts',
    'core/oauth/pages/render.ts',
    'sandbox/page.ts',
  ]);
});

test('secrets are compared by equalSecrets, never by ===, whose time reveals how much matches', () => {
  const LEAK = /[!=]== (keyedHash|makeToken)\(|\b(keyedHash|makeToken)\(.*\) [!=]==/;
  expect(files.filter(({ text }) => LEAK.test(text)).map(({ path }) => path)).toEqual([]);
  expect(
    ['token === keyedHash(key, text)', 'if (makeToken(key, type) !== token)'].every((text) => LEAK.test(text)),
  ).toBe(true);
});

describe('runtime dependencies', () => {
  const imported = new Set(files.flatMap(({ edges }) => edges.map(({ to }) => to.split('#')[0] ?? to)));

  test('are each imported', () => {
    const unused = Object.keys(manifest.dependencies).filter((name) => !imported.has(name));
    expect(unused).toEqual([]);
  });
});

test('each export of src is imported somewhere, or public', () => {
  const entries = Object.values(manifest.exports).flatMap((target) =>
    typeof target === 'string' ? [] : [target.default.replace('./dist/', 'src/').replace(/js$/, 'ts')],
  );
  // The compiler needs their names for the declarations of the tables that are made of them.
  const inferred = ['src/core/oauth/device/device-records.ts UserCodeRecord'];
  expect(unusedExports(repositoryFiles(), new Set(entries))).toEqual(inferred);
  const planted = [
    { path: 'src/a.ts', text: 'export const used = 1; export const unused = 2; export type Unused = 3;' },
    { path: 'src/b.ts', text: `export { used as shown } from './a.js';` },
    { path: 'src/c.ts', text: 'export const inTest = 1;' },
    { path: 'src/d.ts', text: 'export const whole = 1;' },
    { path: 'test/c.test.ts', text: `import { inTest } from '../src/c.js'; await import('../src/d.js');` },
  ];
  expect(unusedExports(planted, new Set(['src/b.ts']))).toEqual(['src/a.ts unused', 'src/a.ts Unused']);
});

test('the suites with one host each cover every host together', () => {
  const suites = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .filter((file) => readFileSync(join(import.meta.dirname, file), 'utf8').includes('hostFor(import.meta.url)'));
  const hosts = suites.flatMap(hostFor).map(({ name }) => name);
  expect(new Set(hosts)).toEqual(new Set(everyHost.map(({ name }) => name)));
});

test('a suite that replaces or changes modules, or measures CPU time, has its own process', () => {
  const suites = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.test.ts'),
  );
  const changing = suites.filter((file) =>
    /vi\.mock\(|from 'm3api-oauth2'|growth\.js'/.test(readFileSync(join(import.meta.dirname, file), 'utf8')),
  );
  expect(
    changing
      .map((file) => `test/${file}`)
      .filter((file) => !file.endsWith('architecture.test.ts'))
      .sort(),
  ).toEqual([...ALONE]);
});

test('URL.canParse is not used, because its result for `https://bücher.example` is wrong once Node has optimised it', () => {
  expect(
    sourceFiles()
      .filter(({ text }) => /URL\.canParse\(/.test(text))
      .map(({ path }) => path),
  ).toEqual([]);
});
