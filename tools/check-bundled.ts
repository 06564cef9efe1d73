import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { build } from 'esbuild';

/** Of these, `openStore` and `sqliteStore` know drivers that are not installed here. */
const PROGRAM = `
import { oauthQuery } from 'oauth-query/fetch';
import { sqliteStore } from 'oauth-query/stores/sqlite';
import { openStore } from 'oauth-query/stores/open';
const store = await openStore('memory:');
const missing = await openStore('mysql://root@127.0.0.1/x').catch(({ code }) => code);
const oauth = oauthQuery({ store, onWarning: () => undefined });
const { status } = await oauth.handler(new Request('http://127.0.0.1/.well-known/oauth-authorization-server'));
console.log(typeof sqliteStore, missing, status);
`;

/**
 * Checks that a server is bundled without a setting, although drivers that it knows are not installed.
 *
 * @param installed - A folder in which the package is installed.
 */
export const checkBundled = async (installed: string): Promise<void> => {
  const outfile = join(installed, 'bundled.mjs');
  const stdin = { contents: PROGRAM, resolveDir: installed };
  await build({ stdin, outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'silent' });
  const { status, stdout, stderr } = spawnSync(process.execPath, [outfile], { encoding: 'utf8' });
  assert.deepEqual([status, stdout.trim(), stderr], [0, 'function OQ114 200', ''], 'a bundled server does not work');
  console.log('  bundles without drivers, and names the one that is missing');
};
