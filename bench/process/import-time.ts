import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ImportResult } from '../report/results.js';
import { ratios, summary } from '../statistics.js';

/** The folder in which the peers are installed. */
const bench = fileURLToPath(new URL('../../../', import.meta.url));

/** The import of a server that uses each library, without its framework. */
export const imported: readonly string[] = [
  'oauth-query/express',
  'oauth-query/koa',
  'oauth-query/fastify',
  '@node-oauth/oauth2-server',
  '@node-oauth/express-oauth-server',
  '@jmondi/oauth2-server',
  'oidc-provider',
  'express-oauth2-jwt-bearer',
  'koa-jwt',
  '@fastify/jwt',
];

/** Milliseconds from the start of a process until the import has finished. */
interface Start {
  readonly wall: number;
  readonly cpu: number;
}

function start(specifier: string | undefined): Start {
  const program = `${specifier === undefined ? '' : `await import('${specifier}');`}
    const { user, system } = process.cpuUsage();
    console.log(JSON.stringify({ wall: performance.now(), cpu: (user + system) / 1000 }));
    process.exit(0);`;
  // The program above prints the last line, with exactly this shape.
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: bench,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return JSON.parse(said.trim().split('\n').at(-1) ?? '') as Start;
}

/** The time that each import adds to a node process without imports, from this many interleaved pairs. */
export function importTimes(rounds: number, wanted: readonly string[] = imported): readonly ImportResult[] {
  const starts = wanted.map((candidate) => ({ candidate, plain: [] as Start[], full: [] as Start[] }));
  for (const { candidate } of starts) start(candidate); // The disk has seen all files once.
  for (let round = 0; round < rounds; round += 1) {
    for (const { candidate, plain, full } of starts) {
      plain.push(start(undefined));
      full.push(start(candidate));
    }
  }
  return starts.map(({ candidate, plain, full }) => ({
    candidate,
    wall: summary(full.map(({ wall }, round) => wall - (plain[round]?.wall ?? Number.NaN))),
    cpu: summary(full.map(({ cpu }, round) => cpu - (plain[round]?.cpu ?? Number.NaN))),
    toPlain: summary(
      ratios(
        full.map(({ cpu }) => cpu),
        plain.map(({ cpu }) => cpu),
      ),
    ),
  }));
}
