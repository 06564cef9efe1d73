import { execFile } from 'node:child_process';
import { chownSync, existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram, freePort, startDaemon, temporaryDirectory, type Daemon } from './daemon.js';
import { newData } from './templates.js';

const DEBIAN = '/usr/lib/postgresql';
const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
const directories = versions.map((version) => join(DEBIAN, version, 'bin'));
const initdb = findProgram('initdb', directories);
const postgres = findProgram('postgres', directories);
/** Where its programs are. */
export const binDirectory = postgres === undefined ? undefined : dirname(realpathSync(postgres));
/** As whom servers run that refuse to be root. */
export const owner = unprivilegedUser();

/** Why no PostgreSQL can be started here, if so. */
export const noPostgres =
  initdb === undefined || postgres === undefined
    ? 'there is no postgres with its initdb in PATH'
    : owner === undefined
      ? 'PostgreSQL refuses to run as root, and there is no user postgres or nobody'
      : undefined;

export interface PostgresServer extends Daemon {
  readonly url: string;
}

/** A PostgreSQL of our own that does not wait for the disk. */
export async function startPostgres(): Promise<PostgresServer> {
  if (initdb === undefined || postgres === undefined || owner === undefined) throw new Error(noPostgres);
  const port = await freePort();
  const directory = temporaryDirectory();
  giveToOwner(directory);
  const options = { ...owner, cwd: directory };
  const data = join(directory, 'data');
  const settings = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  await newData('postgres', data, (path) => promisify(execFile)(initdb, ['-D', path, ...settings], options));
  const daemon = await startDaemon({
    file: postgres,
    args: ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', '', '-F'],
    options,
    port,
    directory,
    ready: /ready to accept connections/,
    // Its immediate shutdown: a crash for its clients, but no shared memory is left behind.
    killSignal: 'SIGQUIT',
  });
  return { ...daemon, url: `postgres://postgres@127.0.0.1:${port}/postgres` };
}

/** Lets the server use files that the test has made. */
export function giveToOwner(...paths: readonly string[]): void {
  if (owner?.uid === undefined || owner.gid === undefined) return;
  for (const path of paths) chownSync(path, owner.uid, owner.gid);
}

/** The user to run as: PostgreSQL does not run as root. */
function unprivilegedUser(): { uid?: number; gid?: number } | undefined {
  if (process.getuid?.() !== 0) return {};
  for (const name of ['postgres', 'nobody']) {
    const line = readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .find((entry) => entry.startsWith(`${name}:`));
    const [, , uid, gid] = line?.split(':') ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  return undefined;
}
