import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const src = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

export default defineConfig({
  resolve: {
    // Tests and examples import the package by its public names; here those names mean the sources.
    alias: [
      { find: /^oauth-query$/, replacement: src('core/index.ts') },
      { find: /^oauth-query\/(express|koa|fastify)$/, replacement: src('adapters/$1/index.ts') },
      { find: /^oauth-query\/stores\/(.+)$/, replacement: src('stores/$1.ts') },
      { find: /^oauth-query\/testing$/, replacement: src('testing/index.ts') },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
