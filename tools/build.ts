/**
 * Builds `dist`: one JavaScript file per name that can be imported, with what several of them share in chunks, and one
 * declaration file per source. Node takes about half a millisecond to find and load one module file, and there are
 * more than a hundred: importing them one by one would cost more than everything that they do at the start.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const manifest: { exports: Record<string, string | { default: string }> } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);
const entryPoints = Object.values(manifest.exports).flatMap((target) =>
  typeof target === 'string' ? [] : [target.default.replace('./dist/', 'src/').replace(/\.js$/, '.ts')],
);

rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints,
  outdir: 'dist',
  outbase: 'src',
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  packages: 'external',
  // Names stay, so that a stack trace can be read; less text is read faster.
  minifyWhitespace: true,
  minifySyntax: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  logLevel: 'warning',
});
execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
});
