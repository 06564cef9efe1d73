/**
 * `npm run runtimes`: runs the checks of the entry for `fetch` on Node, Bun, Deno and workerd, and prints a table of what passes, for docs/hosts.md. npx downloads the other
 * runtimes, about 340 MB, which is why they are no dependencies.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Row } from './checks.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'oauth-query-runtimes-'));

/** The sources in one file, as a bundler of an application would write it. */
const bundle = async (name: string, contents: string): Promise<string> => {
  const outfile = join(folder, name);
  await build({
    stdin: { contents, resolveDir: join(ROOT, 'test/runtimes'), loader: 'ts' },
    outfile,
    bundle: true,
    format: 'esm',
    target: 'es2022',
    platform: 'node',
    tsconfig: join(ROOT, 'tsconfig.json'),
    external: ['node:*'],
    logLevel: 'error',
  });
  return outfile;
};

const START = "import { run } from './checks.ts';\n";
const program = await bundle(
  'program.mjs',
  `${START}const alive = setInterval(() => undefined, 1000); // Timers of the server keep no process running.
console.log('ROWS' + JSON.stringify(await run()));
clearInterval(alive);`,
);
await bundle('worker.mjs', `${START}export default { fetch: async () => Response.json(await run()) };`);

const start = (command: string, args: readonly string[]): ChildProcess =>
  spawn(command, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], detached: true });

const output = (child: ChildProcess): Promise<string> =>
  new Promise((resolve) => {
    let text = '';
    child.stdout?.on('data', (part: Buffer) => (text += part.toString()));
    child.stderr?.on('data', (part: Buffer) => (text += part.toString()));
    child.on('error', (error) => resolve(String(error)));
    child.on('close', () => resolve(text));
  });

const printed = async (command: string, ...args: readonly string[]): Promise<readonly Row[] | string> => {
  const text = await output(start(command, args));
  const rows = /^ROWS(.*)$/m.exec(text)?.[1];
  return rows === undefined ? text : (JSON.parse(rows) as readonly Row[]);
};

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });

const inWorkerd = async (): Promise<readonly Row[] | string> => {
  const port = await freePort();
  writeFileSync(
    join(folder, 'config.capnp'),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [(name = "worker", esModule = embed "worker.mjs")],
    compatibilityDate = "2026-04-01", compatibilityFlags = ["nodejs_compat"]))],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")]);
`,
  );
  const child = start('npx', ['--yes', 'workerd', 'serve', 'config.capnp']);
  const ended = output(child);
  try {
    for (let attempt = 0; attempt < 240; attempt += 1) {
      const response = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
      if (response?.ok) return (await response.json()) as readonly Row[];
      if (response !== undefined) return await response.text();
      if (child.exitCode !== null) return await ended;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    return 'workerd did not start';
  } finally {
    // npx starts the runtime as a process of its own, in the same group.
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid);
  }
};

const results = {
  [`Node ${process.version.slice(1)}`]: await printed(process.execPath, program),
  Bun: await printed('npx', '--yes', 'bun', program),
  Deno: await printed('npx', '--yes', 'deno', 'run', '--allow-all', '--no-check', program),
  'workerd (Cloudflare)': await inWorkerd(),
};
rmSync(folder, { recursive: true, force: true });

const names = Object.keys(results);
const [first = []] = Object.values(results);
if (typeof first === 'string') throw new Error(first);
console.log(`| | ${names.join(' | ')} |\n|${' --- |'.repeat(names.length + 1)}`);
const notes: string[] = [];
for (const { what } of first) {
  const cells = Object.entries(results).map(([name, rows]) => {
    const row = typeof rows === 'string' ? { what, error: rows } : rows.find((one) => one.what === what);
    if (row !== undefined && row.error === undefined) return 'yes';
    notes.push(`${name}: ${what}: ${row?.error ?? 'missing'}`);
    return 'no';
  });
  console.log(`| ${what} | ${cells.join(' | ')} |`);
}
for (const note of notes) console.error(note);
process.exitCode = notes.length > 0 ? 1 : 0;
