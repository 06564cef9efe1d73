/** Builds `dist`: the library, its public declarations, and the command line. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, type BuildOptions } from 'rolldown';
import { emitDeclarations, entryDeclarations, type Manifest, publicDeclarations } from './declarations.js';
import { llmsOfPackage } from './site/llms.js';
import { chaptersOf, pagesOf } from './site/pages.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const manifest: Manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const entries = Object.values(manifest.exports).flatMap((target) =>
  typeof target === 'string' ? [] : [target.default.slice('./dist/'.length, -'.js'.length)],
);

const SHARED = {
  cwd: root,
  // Packages, and this one by its public name, but not the functions that the bundler itself adds.
  external: /^(?!@oxc-project)[@\w]/,
  platform: 'node',
  tsconfig: false,
  transform: { target: 'node20.19' },
  treeshake: { moduleSideEffects: false },
} satisfies BuildOptions;

const OUTPUT = { chunkFileNames: 'chunks/[name].js' };

/**
 * A file per entry point, and chunks of common code. Node takes a third of a millisecond to find and load a file, and the sources have
 * hundreds: without the groups, an adapter would load forty. With one group, a store would load the server.
 */
const library = {
  ...SHARED,
  // The benchmark lifts the limits.
  input: Object.fromEntries([...entries, 'core/oauth/facts/limits'].map((entry) => [entry, `src/${entry}.ts`])),
  output: {
    ...OUTPUT,
    dir: dist,
    // Those that tell bundlers of applications to leave an import alone.
    comments: { annotation: true, legal: false, jsdoc: false },
    minifyInternalExports: false,
    codeSplitting: {
      minShareCount: 3,
      groups: [
        { name: 'stores', test: /src\/stores\//, priority: 3 },
        { name: 'base', test: /src\/core\/(base|feature)\/|@oxc-project/, priority: 2 },
        { name: 'server', test: /src\/(core\/(oauth|server)|adapters)\//, priority: 1 },
      ],
    },
  },
} satisfies BuildOptions;

/** Imports the library by its public name, so the package contains the library once. It shows no stack traces, and stays small. */
const commandLine = {
  ...SHARED,
  input: { main: 'src/cli/main.ts' },
  output: { ...OUTPUT, dir: join(dist, 'cli'), minify: true },
} satisfies BuildOptions;

rmSync(dist, { recursive: true, force: true });
await build([library, commandLine]);

// The path where the demo looks for it, relative to a chunk. Its reader decompresses the file.
mkdirSync(join(dist, 'cli/site'));
writeFileSync(join(dist, 'cli/site/sample.xml'), gzipSync(readFileSync(join(root, 'examples/site/sample.xml'))));
for (const framework of ['express', 'koa', 'fastify'])
  cpSync(join(root, 'examples/starters', framework), join(dist, 'cli/starters', framework), { recursive: true });

const declarations = mkdtempSync(join(tmpdir(), 'oauth-query-build-'));
try {
  emitDeclarations(root, declarations);
  for (const [path, { text }] of publicDeclarations(declarations, entryDeclarations(manifest))) {
    mkdirSync(dirname(join(dist, path)), { recursive: true });
    writeFileSync(join(dist, path), text);
  }
} finally {
  rmSync(declarations, { recursive: true, force: true });
}

const { description } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly description: string;
};
writeFileSync(join(root, 'llms.txt'), llmsOfPackage(chaptersOf(pagesOf()), description));
