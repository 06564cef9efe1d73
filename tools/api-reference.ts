/**
 * Writes the API reference, `.docs/reference`, from the docstrings of all public names; part of `npm run reference`. Git ignores it.
 * Fails if a public name has no docstring. An argument sets a different output folder.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const manifest: { exports: Record<string, string | { default: string }> } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
);
const entryPoints = Object.values(manifest.exports).flatMap((target) =>
  typeof target === 'string' ? [] : [target.default.replace('./dist/', 'src/').replace(/\.js$/, '.ts')],
);

// TypeDoc is installed in a package of its own, with a TypeScript version that still has the API it requires.
const home = realpathSync(join(root, 'node_modules', 'oauth-query-typedoc', 'package.json'));
const typedoc = join(dirname(createRequire(home).resolve('typedoc/package.json')), 'bin', 'typedoc');
const { status } = spawnSync(
  process.execPath,
  [
    typedoc,
    ...['--options', join(dirname(home), 'typedoc.json')],
    ...['--out', resolve(process.argv[2] ?? join(root, '.docs', 'reference'))],
    ...entryPoints.flatMap((entry) => ['--entryPoints', join(root, entry)]),
  ],
  { cwd: root, stdio: 'inherit' },
);
process.exitCode = status ?? 1;
