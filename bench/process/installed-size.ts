import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SizeResult } from '../report/results.js';

const bench = fileURLToPath(new URL('../../../', import.meta.url));

const packages: readonly string[] = [
  'oauth-query',
  '@node-oauth/express-oauth-server',
  '@jmondi/oauth2-server',
  'oidc-provider',
  'express-oauth2-jwt-bearer',
  'koa-jwt',
  '@fastify/jwt',
];

interface Manifest {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const manifestOf = (folder: string): Manifest =>
  // Written by npm, which checks these fields.
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

/** The folder to which Node resolves a package that code in `folder` imports. */
function locate(name: string, folder: string): string {
  for (let place = folder; ; place = dirname(place)) {
    const candidate = join(place, 'node_modules', ...name.split('/'));
    if (existsSync(join(candidate, 'package.json'))) return realpathSync(candidate);
    if (dirname(place) === place) throw new Error(`${name} is not installed; run \`npm ci\` in bench/.`);
  }
}

/** Bytes of the files in a folder, without its `node_modules`. */
function bytesIn(path: string): number {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.size;
  return readdirSync(path)
    .filter((name) => name !== 'node_modules' && name !== '.git')
    .reduce((sum, name) => sum + bytesIn(join(path, name)), 0);
}

/** Bytes that npm installs for a package; for this package, whose sources are here, those it publishes. */
function packageBytes(folder: string): number {
  if (folder.includes(`${sep}node_modules${sep}`)) return bytesIn(folder);
  const packed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: folder,
    encoding: 'utf8',
  });
  const [{ unpackedSize }] = JSON.parse(packed) as [{ unpackedSize: number }]; // one package, in npm's own words
  return unpackedSize;
}

/** The package and its dependencies by folder, without peer dependencies. */
function closureOf(name: string): ReadonlySet<string> {
  const found = new Set<string>();
  const waiting = [locate(name, bench)];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    if (found.has(folder)) continue;
    found.add(folder);
    for (const dependency of Object.keys(manifestOf(folder).dependencies ?? {})) {
      waiting.push(locate(dependency, folder));
    }
  }
  return found;
}

export const installedSizes = (): readonly SizeResult[] =>
  packages.map((candidate) => {
    const closure = closureOf(candidate);
    const bytes = [...closure].reduce((sum, folder) => sum + packageBytes(folder), 0);
    return { candidate, bytes, packages: closure.size };
  });

/** The installed versions. */
export const installedVersions = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...packages, 'express', 'koa', 'fastify', '@koa/bodyparser', '@fastify/formbody', 'ajv', 'zod'].map((name) => [
      name,
      manifestOf(locate(name, bench)).version,
    ]),
  );
