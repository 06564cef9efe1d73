import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defaultExclude, defineConfig } from 'vitest/config';

const src = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

/** These replace or change modules, or measure what their process spends, so each needs a process of its own. */
export const ALONE = [
  'test/adapters/framework.test.ts',
  'test/hostile/growth.test.ts', // Measures CPU time, which the garbage of other suites adds to.
  'test/interop/mediawiki.test.ts', // m3api-oauth2 adds to m3api.
  'test/oauth/clients/slow-hash.test.ts',
  'test/oauth/kernel/client-authentication-secrets.test.ts',
];

/** Left out of `npm run test:quick`: they start programs, repeat races, or run for more than a few seconds. */
const SLOW = [
  'test/{cli,clients,content,docs,examples,orders,site,stores,testing}/**',
  'test/oauth/**/{clients,guessing,races,store-failures}.test.ts',
  'test/features/self-registration/registration.test.ts',
  'test/query/{openapi,openapi-answers,openapi-types,sandbox-request}.test.ts',
  'test/resource-server/introspection-*.test.ts',
  'test/{api-surface,package}.test.ts',
];

/** Suites that need other programs; each kind has its own command. */
const suites = (name: string, include: string, seconds: number, ...globalSetup: string[]) => ({
  extends: true as const,
  test: { name, include: [include], globalSetup, testTimeout: seconds * 1000, hookTimeout: seconds * 1000 },
});

const BROWSER = 'test/**/*.browser.test.ts';
const CLIENTS = 'test/**/*.client.test.ts';
const ENGINES = 'test/**/*.engine.test.ts';

export default defineConfig(async ({ mode }) => ({
  resolve: {
    // Tests and examples import the package by its public names; here those names mean the sources.
    alias: [
      { find: /^oauth-query$/, replacement: src('core/index.ts') },
      { find: /^oauth-query\/(express|koa|fastify|node|fetch)$/, replacement: src('adapters/$1/index.ts') },
      { find: /^oauth-query\/(query|feature)$/, replacement: src('core/$1/index.ts') },
      {
        find: /^oauth-query\/(admin|assertions|dpop|fapi|openid|par|personal-tokens|self-registration|sessions|signed-introspection|step-up|token-exchange)$/,
        replacement: src('features/$1/index.ts'),
      },
      {
        find: /^oauth-query\/(languages|mcp|openapi|sandbox)$/,
        replacement: src('$1/index.ts'),
      },
      { find: /^oauth-query\/guard$/, replacement: src('resource-server/index.ts') },
      { find: /^oauth-query\/pages$/, replacement: src('core/pages.ts') },
      { find: /^oauth-query\/store$/, replacement: src('stores/index.ts') },
      { find: /^oauth-query\/clients$/, replacement: src('clients/index.ts') },
      { find: /^oauth-query\/content$/, replacement: src('content/index.ts') },
      { find: /^oauth-query\/content\/(.+)$/, replacement: src('content/$1/index.ts') },
      { find: /^oauth-query\/stores\/(.+)$/, replacement: src('stores/$1.ts') },
      { find: /^oauth-query\/testing$/, replacement: src('testing/index.ts') },
    ],
  },
  test: {
    // Only against tests that hang: a table of a hundred rows is one test, and the machine may be busy.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A condition that comes is waited for, however late it comes.
    expect: { poll: { timeout: 60_000 } },
    // One more than processors: a test that waits for a program or a socket leaves one idle.
    maxWorkers: availableParallelism() + 1,
    // Long files start first, so that all workers end at about the same time. Imported here: tests import this file, and need no sequencer.
    sequence: { sequencer: (await import('./tools/longest-first.js')).LongestFirst },
    // Compiled modules are kept between runs.
    experimental: { fsModuleCache: true },
    projects: [
      {
        extends: true as const,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...defaultExclude, ...ALONE, BROWSER, CLIENTS, ENGINES, ...(mode === 'quick' ? SLOW : [])],
          // Loading every module once for each file would take longer than the tests.
          isolate: false,
        },
      },
      { extends: true as const, test: { name: 'alone', include: ALONE } },
      suites('browser', BROWSER, 60),
      suites('clients', CLIENTS, 60),
      suites('engines', ENGINES, 120, 'test/stores/engines/templates.ts'),
    ],
  },
}));
