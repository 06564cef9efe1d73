import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { realpathSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const PROGRAM = `import { oauthQuery } from 'oauth-query/express';
import type { Store } from 'oauth-query/store';
export const store: Store | undefined = undefined;
export const oauth = oauthQuery({ issuer: 'http://127.0.0.1' });
`;

/** The import in a file that compiles to CommonJS, under `module: node16` and `node18`. */
const LOADING = `import type { Store } from 'oauth-query/store' with { 'resolution-mode': 'import' };
export const store: Store | undefined = undefined;
export const load = async () => {
  const { oauthQuery } = await import('oauth-query/express');
  return oauthQuery({ issuer: 'http://127.0.0.1' });
};
`;

const SOURCES: Readonly<Record<string, string>> = {
  'settings-module.mts': PROGRAM,
  'settings-common.cts': PROGRAM,
  'settings-loading.cts': LOADING,
};

/** The rows of the table in docs/getting-started.md: settings, file, and the error, if there is one. */
const CASES: readonly (readonly [settings: readonly string[], file: string, error?: string])[] = [
  ...['node16', 'node18', 'node20', 'nodenext'].flatMap((module) => [
    [['--module', module], 'settings-module.mts'] as const,
    [['--module', module], 'settings-loading.cts'] as const,
  ]),
  [['--module', 'node16'], 'settings-common.cts', 'TS1479'],
  [['--module', 'node18'], 'settings-common.cts', 'TS1479'],
  [['--module', 'node20'], 'settings-common.cts'],
  [['--module', 'nodenext'], 'settings-common.cts'],
  [['--module', 'esnext', '--moduleResolution', 'bundler'], 'settings-module.mts'],
  [['--module', 'preserve'], 'settings-common.cts'],
  [['--module', 'commonjs', '--moduleResolution', 'node10'], 'settings-common.cts', 'TS2307'],
];

/**
 * Checks the settings in docs/getting-started.md with a TypeScript version that still supports all of them.
 *
 * @param installed - A folder in which the package, Express and their types are installed.
 */
export const checkTypeSettings = (installed: string, root: string): void => {
  // The package in tools/typedoc has the last version with `node10`.
  const home = realpathSync(join(root, 'node_modules', 'oauth-query-openapi-types', 'package.json'));
  const compiler = createRequire(home).resolve('typescript/bin/tsc');
  for (const [name, text] of Object.entries(SOURCES)) writeFileSync(join(installed, name), text);
  for (const [settings, file, expected] of CASES) {
    const options = ['--noEmit', '--strict', '--esModuleInterop', '--skipLibCheck', '--types', 'node'];
    const { stdout } = spawnSync(process.execPath, [compiler, ...options, '--target', 'es2022', ...settings, file], {
      cwd: installed,
      encoding: 'utf8',
    });
    const [error] = /TS\d+/.exec(stdout) ?? [];
    assert.equal(error, expected, `${settings.join(' ')} ${file}:\n${stdout}`);
  }
  console.log(`  ${CASES.length} TypeScript settings compile as described in docs/getting-started.md`);
};
