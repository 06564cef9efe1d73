import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';
import { expect, test } from 'vitest';
import { emitDeclarations, entryDeclarations, type Manifest, publicDeclarations } from '../tools/declarations.js';
import { everyRow } from './rows.js';

const root = new URL('../', import.meta.url);
const manifest: Manifest = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));

/** The subpaths that can be imported, with the file under `src` that each is built from. */
const entries = Object.entries(manifest.exports).flatMap(([subpath, target]) =>
  typeof target === 'string'
    ? []
    : [{ subpath, path: target.default.replace('./dist/', 'src/').replace(/\.js$/, '.ts') }],
);

/** The names that a file exports, types included. */
function exportedNames(path: string): readonly string[] {
  const { module } = parseSync(path, readFileSync(new URL(path, root), 'utf8'), { lang: 'ts' });
  return module.staticExports.flatMap(({ entries: exported }) =>
    exported.flatMap(({ exportName, moduleRequest }) => {
      if (exportName.kind === 'Default') return ['default'];
      if (exportName.kind === 'Name' && exportName.name !== null) return [exportName.name];
      if (moduleRequest === null || !moduleRequest.value.startsWith('.')) return [`* from ${moduleRequest?.value}`];
      return exportedNames(posix.join(posix.dirname(path), moduleRequest.value.replace(/\.js$/, '.ts')));
    }),
  );
}

// A change of this file is the release note that waits to be written. `vitest run test/api-surface.test.ts -u` writes it.
test('the package exports these names', async () => {
  const sections = await Promise.all(
    entries.map(async ({ subpath, path }) => {
      const values = Object.keys(await import(new URL(path, root).href)).sort();
      const types = [...new Set(exportedNames(path))].filter((name) => !values.includes(name)).sort();
      return [posix.join('oauth-query', subpath), ...values, ...types.map((name) => `type ${name}`)].join('\n  ');
    }),
  );
  await expect(`${sections.join('\n\n')}\n`).toMatchFileSnapshot('./api-surface.snap.txt');
});

// A reader has to find the few names that matter; the rest can be had from them: `ServerOptions['lifetimes']`.
test('the root entry has at most 45 names, and all entries together at most 270 types', async () => {
  const main = entries.filter(({ subpath }) => subpath === '.').flatMap(({ path }) => exportedNames(path));
  expect(main.length).toBeLessThanOrEqual(45);
  const types = await Promise.all(
    entries.map(async ({ path }) => {
      const values = new Set(Object.keys(await import(new URL(path, root).href)));
      return [...new Set(exportedNames(path))].filter((name) => !values.has(name));
    }),
  );
  expect(types.flat().length).toBeLessThanOrEqual(270);
});

// A type can change under a name that stays. This file too is written by `vitest run test/api-surface.test.ts -u`.
test('the package declares this, as the compiler writes it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'oauth-query-declarations-'));
  try {
    // `npm run types` checks the sources.
    emitDeclarations(fileURLToPath(root), folder, ['--noCheck', '--singleThreaded']);
    const files = publicDeclarations(folder, entryDeclarations(manifest));
    const sections = [...files].flatMap(([path, { bare }]) => (bare === '' ? [] : [`// ${path}\n${bare}\n`]));
    await expect(sections.join('\n')).toMatchFileSnapshot('./declarations.snap.txt');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('no subpath has a default export or a star export of another package', () =>
  everyRow(entries, ({ path }) => {
    expect(exportedNames(path).filter((name) => name === 'default' || name.startsWith('* from'))).toEqual([]);
  }));
