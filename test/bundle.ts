import { cpSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type BuildOptions } from 'esbuild';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
/** The pages of the demo, which it looks for in the folder above its own, in `site`. */
const SAMPLE = join(ROOT, 'examples/site/sample.xml');
const bundles = new Map<string, Promise<string>>();

/**
 * A program of this repository as JavaScript, which starts in a fifth of the time that compiling it each time would take.
 *
 * @param entry - Its path in the repository.
 * @returns The path of a file for node, which is deleted when this process ends.
 */
export const bundleOf = (entry: string): Promise<string> => {
  const known = bundles.get(entry) ?? bundled(entry);
  bundles.set(entry, known);
  return known;
};

const folders: string[] = [];
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A folder inside the repository, so that programs in it find the packages, and this one by its name. */
const temporaryFolder = (name: string): string => {
  const folder = join(ROOT, '.data/bundles', `${name}-${process.pid}`);
  folders.push(folder);
  return folder;
};

const SHARED = {
  absWorkingDir: ROOT,
  bundle: true,
  splitting: true,
  packages: 'external',
  format: 'esm',
  platform: 'node',
  sourcemap: 'inline',
  logLevel: 'warning',
} satisfies BuildOptions;

/**
 * What `npm run build` writes, as fast as it can be made of the sources: the modules that can be imported, and the command line.
 *
 * @returns The path of the folder that stands for `dist`.
 */
export const packageBundle = async (): Promise<string> => {
  const { exports }: { exports: Record<string, string | { default: string }> } = JSON.parse(
    readFileSync(join(ROOT, 'package.json'), 'utf8'),
  );
  const modules = Object.values(exports).flatMap((target) =>
    typeof target === 'string' ? [] : [target.default.replace('./dist/', 'src/').replace(/\.js$/, '.ts')],
  );
  const folder = temporaryFolder('package');
  await build({
    ...SHARED,
    entryPoints: [...modules, 'src/cli/main.ts'],
    outdir: folder,
    outbase: 'src',
    chunkNames: 'chunks/[hash]',
  });
  cpSync(SAMPLE, join(folder, 'site/sample.xml'));
  return folder;
};

const bundled = async (entry: string): Promise<string> => {
  const name = basename(entry, extname(entry));
  const folder = temporaryFolder(`${dirname(entry).replaceAll('/', '-')}-${name}`);
  await build({ ...SHARED, entryPoints: [entry], outdir: join(folder, 'program'), outExtension: { '.js': '.mjs' } });
  cpSync(SAMPLE, join(folder, 'site/sample.xml'));
  return join(folder, 'program', `${name}.mjs`);
};
