/**
 * Builds `dist`: a JavaScript file per entry point, chunks of common code, the public declarations, and the command line.
 * Node takes about half a millisecond to find and load a module, and the sources have hundreds, so importing them one by
 * one would take longer than everything else at startup. The code is readable, because an error shows the line that threw it.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, type BuildOptions } from 'esbuild';
import { emitDeclarations, entryDeclarations, type Manifest, publicDeclarations } from './declarations.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const manifest: Manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const entryPoints = Object.values(manifest.exports).flatMap((target) =>
  typeof target === 'string' ? [] : [target.default.replace('./dist/', 'src/').replace(/\.js$/, '.ts')],
);

const SHARED = {
  absWorkingDir: root,
  bundle: true,
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  // Removes comments; `layOut` puts every statement on a line of its own again.
  minifyWhitespace: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // Without escapes, texts in other scripts are readable and half as long.
  charset: 'utf8',
  logLevel: 'warning',
} satisfies BuildOptions;

/**
 * The command line, including the demo. It imports the library by its public name, so the package contains the library
 * once, and programs that import the library do not load the command line.
 */
const buildCommandLine = async (): Promise<void> => {
  await build({
    ...SHARED,
    entryPoints: ['src/cli/main.ts'],
    outdir: 'dist/cli',
    minify: true,
    external: ['oauth-query', 'jose', 'lru-cache'],
  });
  // The path where the demo looks for it, relative to a chunk. Its reader decompresses the file.
  mkdirSync(`${root}/dist/cli/site`);
  for (const framework of ['express', 'koa', 'fastify'])
    cpSync(`${root}/examples/starters/${framework}`, `${root}/dist/cli/starters/${framework}`, { recursive: true });
  writeFileSync(`${root}/dist/cli/site/sample.xml`, gzipSync(readFileSync(`${root}/examples/site/sample.xml`)));
};

/** Wide lines and tabs; otherwise a fifth of the package would be spaces. */
const LAYOUT = {
  printWidth: 160,
  useTabs: true,
  objectWrap: 'collapse',
  arrowParens: 'avoid',
  singleQuote: true,
  trailingComma: 'none',
  embeddedLanguageFormatting: 'off',
};

/** Formats the code that programs import; the command line reports errors itself, and stays small. The formatter skips files that this repository ignores, so it runs in another folder. */
const layOut = (temporary: string): void => {
  const copy = join(temporary, 'dist');
  cpSync(`${root}/dist`, copy, { recursive: true });
  writeFileSync(join(temporary, '.oxfmtrc.json'), JSON.stringify({ ...LAYOUT, ignorePatterns: ['**/dist/cli'] }));
  execFileSync(join(root, 'node_modules/.bin/oxfmt'), ['dist'], {
    cwd: temporary,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  cpSync(copy, `${root}/dist`, { recursive: true });
};

/** Removes imports without names, with which the bundler keeps the order of files: modules without side effects need no order, and some of these files are not needed at all. */
const removeBareImports = (): void => {
  for (const name of readdirSync(`${root}/dist`, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.js') || name.startsWith('cli')) continue;
    const path = join(root, 'dist', name);
    writeFileSync(path, readFileSync(path, 'utf8').replace(/^import '\.[^']*';\n/gm, ''));
  }
};

rmSync(`${root}/dist`, { recursive: true, force: true });
const temporary = mkdtempSync(join(tmpdir(), 'oauth-query-build-'));
try {
  const library = {
    ...SHARED,
    // The benchmark lifts the limits.
    entryPoints: [...entryPoints, 'src/core/oauth/limits.ts'],
    outdir: 'dist',
    outbase: 'src',
    packages: 'external',
  } satisfies BuildOptions;
  await build(library);
  await buildCommandLine();
  emitDeclarations(root, join(temporary, 'declarations'));
  for (const [path, { text }] of publicDeclarations(join(temporary, 'declarations'), entryDeclarations(manifest))) {
    mkdirSync(dirname(join(root, 'dist', path)), { recursive: true });
    writeFileSync(join(root, 'dist', path), text);
  }
  layOut(temporary);
  removeBareImports();
} finally {
  rmSync(temporary, { recursive: true, force: true });
}
