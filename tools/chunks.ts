/**
 * Joins modules that are loaded together anyway in one file. The bundler writes a file for each set of entries that load the
 * same modules, which would be twenty files for an adapter.
 */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { build, type BuildOptions, type Metafile, type Plugin } from 'esbuild';

/** All modules that are loaded when `entry` is, without those that are imported on demand. */
function loadedBy(entry: string, { inputs }: Metafile): ReadonlySet<string> {
  const loaded = new Set([entry]);
  for (const path of loaded) {
    for (const { path: target, kind, external } of inputs[path]?.imports ?? []) {
      if (kind !== 'dynamic-import' && external !== true) loaded.add(target);
    }
  }
  return loaded;
}

/** The modules of each file, by its name. The parts that other programs load too have files of their own. */
function filesOf(loads: ReadonlyMap<string, ReadonlySet<string>>): ReadonlyMap<string, readonly string[]> {
  const loadedFrom = (pattern: RegExp): readonly ReadonlySet<string>[] =>
    [...loads].filter(([entry]) => pattern.test(entry)).map(([, loaded]) => loaded);
  const adapters = loadedFrom(/^src\/adapters\//);
  const others = loadedFrom(/^src\/(clients|content)\//);
  const isServer = (path: string): boolean => adapters.filter((loaded) => loaded.has(path)).length > 1;
  const files = new Map<string, string[]>();
  for (const path of new Set([...adapters, ...loadedFrom(/\/create-query\.ts$/)].flatMap((loaded) => [...loaded]))) {
    // An adapter itself, or what only one of them needs.
    if (!isServer(path) && path.startsWith('src/adapters/')) continue;
    const half = isServer(path) ? 'server' : 'query';
    const isShared = others.some((loaded) => loaded.has(path)) || path.startsWith('src/stores/');
    const name = isShared ? `${half}-shared` : half;
    files.set(name, [...(files.get(name) ?? []), path]);
  }
  return files;
}

/** Lets each entry that loads a part of a file load all of it, so that the bundler does not divide it. */
export async function joinedChunks(options: BuildOptions & { readonly absWorkingDir: string }): Promise<Plugin> {
  const root = options.absWorkingDir;
  const { metafile } = await build({ ...options, metafile: true, write: false });
  const entries = Object.values(metafile.outputs).flatMap(({ entryPoint }) => entryPoint ?? []);
  const loads = new Map(entries.map((entry) => [entry, loadedBy(entry, metafile)]));
  const files = filesOf(loads);
  const importing = (paths: readonly string[]): string =>
    paths.map((path) => `\nimport ${JSON.stringify(resolve(root, path))};`).join('');
  const additions = new Map(
    [...loads].map(([entry, loaded]) => {
      const touched = [...files.values()].filter((paths) => paths.some((path) => loaded.has(path)));
      return [resolve(root, entry), importing(touched.flat().filter((path) => path !== entry))] as const;
    }),
  );
  return {
    name: 'joined-chunks',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const addition = additions.get(path);
        return addition === undefined
          ? undefined
          : { contents: (await readFile(path, 'utf8')) + addition, loader: 'ts' };
      });
    },
  };
}
