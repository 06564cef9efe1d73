import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';

/** npx runs the installed package, and must not use the network. */
const NPX = ['--no-install', 'oauth-query'];

const npx = (folder: string, ...args: readonly string[]): string =>
  execFileSync('npx', [...NPX, ...args], { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** Runs `serve` on a small export in a folder with only the package installed, and then `doctor` on the server. */
const checkServe = async (folder: string): Promise<void> => {
  const program = join(folder, 'node_modules', 'oauth-query', 'dist', 'cli', 'main.js');
  // Not through npx, which would have to forward the signal.
  const child = spawn(process.execPath, [program, 'serve', '--port', '0', 'export.xml'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const complaints = text(child.stderr);
  const closed = once(child, 'close');
  try {
    let base: string | undefined;
    for await (const line of createInterface(child.stdout)) {
      base = /^oauth-query demo on node:http, .*: (http:\S+)$/.exec(line)?.[1];
      if (base !== undefined) break;
    }
    if (base === undefined) throw new Error(`\`oauth-query serve\` exited without printing a URL: ${await complaints}`);
    const answer = await fetch(`${base}/api?action=query&titles=Harbour&prop=extracts&explaintext=1&format=json`);
    assert.match(await answer.text(), /ships come home/, '`oauth-query serve` does not serve the export');
    const { summary } = JSON.parse(npx(folder, 'doctor', '--json', base));
    assert.equal(summary.error, 0, 'the doctor found an error in `oauth-query serve`');
  } finally {
    child.kill('SIGTERM');
    await closed;
  }
  assert.equal(child.exitCode, 0, '`oauth-query serve` did not end cleanly');
};

/**
 * Checks the program in a folder with only the package installed.
 *
 * @param installDriver - Installs a SQLite driver; called if Node includes none.
 */
export const checkCommandLine = async (folder: string, root: string, installDriver: () => void): Promise<void> => {
  const { secret, client_secret } = JSON.parse(npx(folder, 'secret', '--json'));
  assert.match(secret, /^[\w-]{43}$/);
  const registration = JSON.stringify({ client_id: 'service', client_secret, scope: 'a', default_scope: 'a' });
  const checked = spawnSync('npx', [...NPX, 'client', '-'], { cwd: folder, encoding: 'utf8', input: registration });
  assert.match(checked.stdout, /1 client: 0 errors\./);

  copyFileSync(join(root, 'tools', 'smoke', 'export.xml'), join(folder, 'export.xml'));
  if (process.getBuiltinModule('node:sqlite') === undefined) {
    const refused = spawnSync('npx', [...NPX, 'serve', '--port', '0'], { cwd: folder, encoding: 'utf8' });
    assert.deepEqual([refused.status, refused.stdout], [1, '']);
    assert.match(refused.stderr, /SQLite .+ For example: npx -p oauth-query -p libsql oauth-query serve --port 0\n/m);
    installDriver();
  }
  mkdirSync(join(folder, 'docs'));
  const unread = spawnSync('npx', [...NPX, 'serve', '--port', '0', 'docs'], { cwd: folder, encoding: 'utf8' });
  assert.equal(unread.status, 1);
  assert.match(
    unread.stderr,
    /^Markdown .+ For example: npx -p oauth-query -p markdown-it -p js-yaml .*oauth-query serve --port 0 docs$/m,
  );
  await checkServe(folder);
  const store = ['--store', `sqlite:${join(folder, 'clients.db')}`];
  const added = JSON.parse(npx(folder, 'client', 'add', 'service', '--create', ...store));
  assert.match(added.client_secret, /^[\w-]{43}$/);
  assert.equal(JSON.parse(npx(folder, 'client', 'list', ...store)).client_id, 'service');
  console.log('  npx oauth-query: secret, client, serve and doctor work in a folder with only the package');
};
