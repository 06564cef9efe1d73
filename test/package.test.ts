import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parseDocument } from './docs/documents.js';

interface Manifest {
  readonly license: string;
  readonly version: string;
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

const at = (path: string): URL => new URL(`../${path}`, import.meta.url);
const manifest: Manifest = JSON.parse(readFileSync(at('package.json'), 'utf8'));

describe('package.json', () => {
  test('installs three packages that install nothing else, under the licences that tools/publishing.md names', () => {
    const installed = Object.keys(manifest.dependencies).map((name) => {
      const { license, dependencies = {} }: Manifest = JSON.parse(
        readFileSync(at(`node_modules/${name}/package.json`), 'utf8'),
      );
      return [name, license, Object.keys(dependencies)];
    });
    expect(installed).toEqual([
      ['fastify-plugin', 'MIT', []],
      ['jose', 'MIT', []],
      ['lru-cache', 'BlueOak-1.0.0', []],
    ]);
    const page = readFileSync(at('tools/publishing.md'), 'utf8').replaceAll(/\s+/g, ' ');
    expect(page).toContain('`fastify-plugin` (MIT), `jose` (MIT) and `lru-cache` (BlueOak-1.0.0)');
  });

  test('nothing runs on the machine of who installs the package', () => {
    const install = ['preinstall', 'install', 'postinstall'];
    expect(Object.keys(manifest.scripts).filter((name) => install.includes(name))).toEqual([]);
  });

  test('every link of a document in the package leads to a file of the package', () => {
    const pack = ['pack', '--dry-run', '--json', '--ignore-scripts'];
    const said = execFileSync('npm', pack, { cwd: fileURLToPath(at('')), encoding: 'utf8', stdio: 'pipe' });
    const [{ files }]: [{ files: { path: string }[] }] = JSON.parse(said);
    const paths = files.map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining([
        'README.md',
        'CHANGELOG.md',
        'SECURITY.md',
        'docs/getting-started.md',
        'docs/pictures/record.svg',
      ]),
    );
    const broken = paths
      .filter((path) => path.endsWith('.md'))
      .flatMap((path) => parseDocument(path, readFileSync(at(path), 'utf8')).links)
      .filter(({ url }) => !/^(https:|http:\/\/127|mailto:|#)/.test(url))
      .filter(({ place, url }) => {
        const folder = posix.dirname(place.split(':')[0] ?? '');
        return !paths.includes(posix.join(folder, url.split('#')[0] ?? ''));
      });
    expect(broken.map(({ place, url }) => `${place} ${url}`)).toEqual([]);
  });

  // An address that leads nowhere would be worse than none. tools/publishing.md says when to add them.
  test('names a repository, a home page and a tracker, or none of them', () => {
    const named = Object.keys(manifest).filter((name) => ['repository', 'homepage', 'bugs'].includes(name));
    expect([0, 3]).toContain(named.length);
  });

  // Anyone could publish a package under a name that is not claimed.
  test('as long as it is not published, no command asks the registry for its name', () => {
    if ('repository' in manifest) return;
    const asks =
      /(?:npm (?:i|install|add|exec)|pnpm (?:add|dlx)|yarn (?:add|dlx)|bunx?(?: add)?|npx (?:-p|-y|--package)\S*)(?: -\S+)* oauth-query(?=[@\s`'"]|$)/m;
    const texts = execFileSync('git', ['ls-files', '*.md', 'src/*.ts', 'examples/*'], {
      cwd: fileURLToPath(at('')),
      encoding: 'utf8',
    });
    const asking = texts.split('\n').filter((path) => path !== '' && asks.test(readFileSync(at(path), 'utf8')));
    expect(asking).toEqual(['tools/publishing.md']);
  });

  test('the changelog begins with this version or with what is not released yet', () => {
    const [newest] = /^## \[?([^\]\s]+)/m.exec(readFileSync(at('CHANGELOG.md'), 'utf8'))?.slice(1) ?? [];
    expect(['Unreleased', manifest.version]).toContain(newest);
  });
});

// `npm ci` refuses a lock file without them, whichever platform it runs on. `npx tsx tools/complete-lock.ts` adds them.
test('package-lock.json names the optional packages of every platform', () => {
  const lock: { packages: Record<string, { optionalDependencies?: Record<string, string> }> } = JSON.parse(
    readFileSync(at('package-lock.json'), 'utf8'),
  );
  const missing = Object.entries(lock.packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !(`${path}/node_modules/${name}` in lock.packages) && !(`node_modules/${name}` in lock.packages),
    ),
  );
  expect(missing).toEqual([]);
});
