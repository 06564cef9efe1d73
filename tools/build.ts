/**
 * Builds `dist`: one JavaScript file per name that can be imported, with what several of them share in chunks, the
 * declarations that are public, and the command line. Node takes about half a millisecond to find and load one module
 * file, and there are more than a hundred: importing them one by one would cost more than everything that they do at the
 * start. What stands there can be read: an error at start shows the line that threw it.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
  // Takes the comments out; `layOut` gives every statement its line again.
  minifyWhitespace: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // Texts in other scripts stay readable, and half as long.
  charset: 'utf8',
  logLevel: 'warning',
} satisfies BuildOptions;

/**
 * The command line with the demo in it. It asks for the library by the library's own name, so the
 * package holds that once, and what the command line needs costs nobody else anything.
 */
const buildCommandLine = async (): Promise<void> => {
  await build({
    ...SHARED,
    entryPoints: ['src/cli/main.ts'],
    outdir: 'dist/cli',
    minify: true,
    external: ['oauth-query', 'jose', 'lru-cache'],
  });
  // Where the demo looks for it, seen from a chunk. Its reader unpacks what it finds packed.
  mkdirSync(`${root}/dist/cli/site`);
  writeFileSync(`${root}/dist/cli/site/sample.xml`, gzipSync(readFileSync(`${root}/examples/site/sample.xml`)));
};

/** Wide lines and tabs: a fifth of the package would be spaces otherwise. */
const LAYOUT = {
  printWidth: 160,
  useTabs: true,
  objectWrap: 'collapse',
  arrowParens: 'avoid',
  singleQuote: true,
  trailingComma: 'none',
  embeddedLanguageFormatting: 'off',
};

/** Lays out for readers what programs import; the command line says its errors itself, and stays small. The formatter leaves what the rules of this repository ignore, so it works elsewhere. */
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

rmSync(`${root}/dist`, { recursive: true, force: true });
const temporary = mkdtempSync(join(tmpdir(), 'oauth-query-build-'));
try {
  await build({ ...SHARED, entryPoints, outdir: 'dist', outbase: 'src', packages: 'external' });
  await buildCommandLine();
  emitDeclarations(root, join(temporary, 'declarations'));
  for (const [path, { text }] of publicDeclarations(join(temporary, 'declarations'), entryDeclarations(manifest))) {
    mkdirSync(dirname(join(root, 'dist', path)), { recursive: true });
    writeFileSync(join(root, 'dist', path), text);
  }
  layOut(temporary);
} finally {
  rmSync(temporary, { recursive: true, force: true });
}
