import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parseDocument } from './docs/documents.js';
import { everyRow } from './rows.js';

interface Manifest {
  readonly type: string;
  readonly license: string;
  readonly sideEffects: boolean;
  readonly version: string;
  readonly engines: { readonly node: string };
  readonly files: readonly string[];
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
  readonly scripts: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>;
}

const at = (path: string): URL => new URL(`../${path}`, import.meta.url);
const manifest: Manifest = JSON.parse(readFileSync(at('package.json'), 'utf8'));
const subpaths = Object.entries(manifest.exports);

describe('package.json', () => {
  test('offers exactly these subpaths', () => {
    expect(Object.keys(manifest.exports).sort()).toEqual([
      '.',
      './clients',
      './content',
      './content/markdown',
      './content/mediawiki-export',
      './express',
      './fastify',
      './fetch',
      './guard',
      './koa',
      './languages',
      './mcp',
      './node',
      './openapi',
      './openid',
      './package.json',
      './pages',
      './query',
      './sandbox',
      './store',
      './stores/instrument',
      './stores/memory',
      './stores/mysql',
      './stores/open',
      './stores/postgres',
      './stores/redis',
      './stores/sqlite',
      './testing',
    ]);
  });

  test('each export has a source, and names its types first', () =>
    everyRow(subpaths, ([, target]) => {
      if (typeof target === 'string') {
        expect(existsSync(at(target))).toBe(true);
        return;
      }
      expect(Object.keys(target)).toEqual(['types', 'default']);
      expect(target.types).toBe(target.default.replace(/\.js$/, '.d.ts'));
      expect(existsSync(at(target.default.replace('./dist/', 'src/').replace(/\.js$/, '.ts')))).toBe(true);
    }));

  test('has one program, built from a source that is marked as one', () => {
    expect(manifest.bin).toEqual({ 'oauth-query': 'dist/cli/main.js' });
    expect(readFileSync(at('src/cli/main.ts'), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
  });

  test('is an ES module under MIT, with a licence file that says so', () => {
    expect(manifest).toMatchObject({ type: 'module', license: 'MIT', sideEffects: false });
    expect(readFileSync(at('LICENSE'), 'utf8')).toMatch(/^MIT License\n/);
  });

  test('frameworks, drivers, parsers and the sanitiser are optional peers', () => {
    const peers = [
      '@modelcontextprotocol/server',
      'better-sqlite3',
      'diff',
      'express',
      'fastify',
      'ioredis',
      'js-yaml',
      'koa',
      'libsql',
      'mariadb',
      'markdown-it',
      'mysql2',
      'pg',
      'redis',
      'sanitize-html',
    ];
    const optional = Object.entries(manifest.peerDependenciesMeta).filter(([, meta]) => meta.optional);
    expect(optional.map(([name]) => name).sort()).toEqual(peers);
    expect(Object.keys(manifest.peerDependencies).sort()).toEqual(peers);
  });

  test('nothing runs on the machine of who installs the package', () => {
    const install = ['preinstall', 'install', 'postinstall'];
    expect(Object.keys(manifest.scripts).filter((name) => install.includes(name))).toEqual([]);
  });

  test('the formatter is one exact version, so that it says the same everywhere', () => {
    expect(manifest.devDependencies['oxfmt']).toMatch(/^\d+\.\d+\.\d+$/);
  });

  test('the changelog links only to what comes with the package', () => {
    const pack = ['pack', '--dry-run', '--json', '--ignore-scripts'];
    const said = execFileSync('npm', pack, { cwd: fileURLToPath(at('')), encoding: 'utf8', stdio: 'pipe' });
    const [{ files }]: [{ files: { path: string }[] }] = JSON.parse(said);
    const paths = files.map(({ path }) => path);
    const { links } = parseDocument('CHANGELOG.md', readFileSync(at('CHANGELOG.md'), 'utf8'));
    const missing = links.filter(({ url }) => !/^(https:|#)/.test(url) && !paths.includes(url.split('#')[0] ?? ''));
    expect(paths).toContain('README.md');
    expect(missing).toEqual([]);
  });

  // Nothing is known about where this is developed; an address that leads nowhere would be worse than none.
  test('names no repository, home page or tracker as long as there is none', () => {
    expect(Object.keys(manifest)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(repository|homepage|bugs)$/)]),
    );
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
