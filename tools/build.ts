/**
 * Builds `dist`: one JavaScript file per name that can be imported, with what several of them share in chunks, one
 * declaration file per source, and the command line. Node takes about half a millisecond to find and load one module file, and there are
 * more than a hundred: importing them one by one would cost more than everything that they do at the start.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, type BuildOptions } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const manifest: { exports: Record<string, string | { default: string }> } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);
const entryPoints = Object.values(manifest.exports).flatMap((target) =>
  typeof target === 'string' ? [] : [target.default.replace('./dist/', 'src/').replace(/\.js$/, '.ts')],
);

const SHARED = {
  absWorkingDir: root,
  bundle: true,
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  // Names stay, so that a stack trace can be read; less text is read faster.
  minifyWhitespace: true,
  minifySyntax: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  logLevel: 'warning',
} satisfies BuildOptions;

/** What of others is inside the command line, with the texts that its licences want beside every copy. */
const BUNDLED: Readonly<Record<string, string>> = {
  // Its package comes without the text; this is the one of its repository.
  saxes: 'tools/licenses/saxes.txt',
  xmlchars: 'node_modules/xmlchars/LICENSE',
};

/**
 * The command line with the demo in it, which reads XML. It asks for the library by the library's own name, so the
 * package holds that once, and what the command line needs costs nobody else anything.
 */
const buildCommandLine = async (): Promise<void> => {
  const { metafile } = await build({
    ...SHARED,
    entryPoints: ['src/cli/main.ts'],
    outdir: 'dist/cli',
    external: ['oauth-query', 'jose', 'lru-cache', 'redis', 'pg'],
    metafile: true,
  });
  const inside = Object.keys(metafile.inputs).flatMap(
    (path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [],
  );
  const unknown = inside.find((name) => !Object.hasOwn(BUNDLED, name));
  if (unknown !== undefined) throw new Error(`${unknown} is bundled into the command line without its licence.`);
  const texts = Object.entries(BUNDLED).map(
    ([name, file]) => `${name}\n\n${readFileSync(`${root}/${file}`, 'utf8').trim()}\n`,
  );
  writeFileSync(`${root}/dist/cli/THIRD-PARTY-LICENSES.txt`, texts.join(`\n${'-'.repeat(80)}\n\n`));
  // Where the demo looks for it, seen from a chunk.
  cpSync(`${root}/examples/site/sample.xml`, `${root}/dist/cli/site/sample.xml`);
};

rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true });
await build({ ...SHARED, entryPoints, outdir: 'dist', outbase: 'src', packages: 'external' });
await buildCommandLine();
execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
});
