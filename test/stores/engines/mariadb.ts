import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createConnection } from 'mariadb';
import { findProgram, freePort, startDaemon, temporaryDirectory, type Daemon } from './daemon.js';
import { giveToOwner, owner } from './postgres.js';
import { newData } from './templates.js';

const SBIN = ['/usr/sbin', '/usr/local/sbin'];
const mariadbd = findProgram('mariadbd', SBIN);
const install = findProgram('mariadb-install-db');

/** Why no MariaDB can be started here, if so. */
export const noMariadb =
  mariadbd === undefined || install === undefined
    ? 'there is no mariadbd with its mariadb-install-db in PATH'
    : owner === undefined
      ? 'MariaDB refuses to run as root, and there is no user postgres or nobody'
      : undefined;

export interface MariadbServer extends Daemon {
  /** As `openStore` understands it, for an account with all rights on its database. */
  readonly url: string;
  /** The same for an account that may do everything. */
  readonly adminUrl: string;
  /** Where its data are. */
  files(): string;
}

interface MariadbOptions {
  /** Further arguments of each start. */
  readonly settings?: (directory: string) => Promise<readonly string[]>;
  /** Whether to create the accounts, and the database; by default yes. */
  readonly accounts?: boolean;
  readonly ready?: RegExp;
  /** The data are on a disk of their own with so many bytes; the server cannot be started a second time. */
  readonly disk?: number;
}

/** Why no disk of its own can be had, if so. */
export const noDisk = noMariadb ?? (process.getuid?.() === 0 ? undefined : 'only root can mount a small disk');

/** A MariaDB of our own. What it has confirmed survives its end, but not that of the machine. */
export async function startMariadb(options: MariadbOptions = {}): Promise<MariadbServer> {
  if (mariadbd === undefined || install === undefined) throw new Error(noMariadb);
  const { settings = async () => [], accounts = true, ready = /ready for connections/, disk } = options;
  const port = await freePort();
  const directory = temporaryDirectory();
  giveToOwner(directory);
  await newData('mariadb', join(directory, 'data'), (path) =>
    promisify(execFile)(
      install,
      [...argumentsFor(directory, path), '--auth-root-authentication-method=normal', '--skip-test-db'],
      { ...owner, cwd: directory },
    ),
  );
  const file = join(directory, 'accounts.sql');
  writeFileSync(file, ACCOUNTS);
  const daemon = await startDaemon({
    file: disk === undefined ? mariadbd : 'unshare',
    args: async () => [
      ...(disk === undefined ? [] : onSmallDisk(directory, disk)),
      ...argumentsFor(directory),
      `--port=${port}`,
      '--bind-address=127.0.0.1',
      `--socket=${join(directory, 'socket')}`,
      `--pid-file=${join(directory, 'pid')}`,
      ...(accounts ? [`--init-file=${file}`] : []),
      '--skip-name-resolve',
      '--innodb-flush-log-at-trx-commit=2',
      // On a full disk, reads would stop too.
      ...(disk === undefined ? ['--innodb-flush-method=nosync', '--skip-innodb-doublewrite'] : []),
      '--innodb-buffer-pool-size=32M',
      '--max-connections=400',
      ...(await settings(directory)),
    ],
    options: { ...(disk === undefined ? owner : {}), cwd: directory },
    port,
    directory,
    ready,
  });
  const urlOf = (account: string): string => `mariadb://${account}:password@127.0.0.1:${port}/oauth`;
  return {
    ...daemon,
    url: urlOf('app'),
    adminUrl: urlOf('admin'),
    files: () => `/proc/${daemon.pid()}/root${join(directory, 'data')}`,
  };
}

/** A disk that only this program sees, and that goes with it. */
function onSmallDisk(directory: string, bytes: number): string[] {
  const { uid, gid } = owner ?? {};
  const script = [
    `mv data seed && mkdir data && mount -t tmpfs -o size=${bytes},uid=${uid},gid=${gid} tmpfs data && cp -a seed/. data`,
    `exec setpriv --reuid ${uid} --regid ${gid} --clear-groups "$@"`,
  ].join(' && ');
  return ['--mount', '--propagation', 'private', 'sh', '-c', script, 'sh', mariadbd ?? ''];
}

/** What every program needs that reads the data. */
const argumentsFor = (directory: string, data = join(directory, 'data')): string[] => [
  '--no-defaults',
  `--datadir=${data}`,
  `--tmpdir=${directory}`,
  '--innodb-log-file-size=8M',
];

const ACCOUNTS = [
  'CREATE DATABASE IF NOT EXISTS oauth CHARACTER SET latin1;',
  "CREATE USER IF NOT EXISTS admin@'127.0.0.1' IDENTIFIED BY 'password';",
  "GRANT ALL ON *.* TO admin@'127.0.0.1' WITH GRANT OPTION;",
  "CREATE USER IF NOT EXISTS app@'127.0.0.1' IDENTIFIED BY 'password';",
  "GRANT ALL ON oauth.* TO app@'127.0.0.1';",
].join('\n');

/** Up to where the data of a node go that has ended, as its cluster counts. */
export async function recoveredPosition(directory: string, cluster: readonly string[]): Promise<string> {
  if (mariadbd === undefined) throw new Error(noMariadb);
  const log = join(directory, 'recovery.log');
  const settings = [
    ...cluster,
    '--skip-networking',
    `--socket=${join(directory, 'socket')}`,
    '--wsrep-recover',
    `--log-error=${log}`,
  ];
  await promisify(execFile)(mariadbd, [...argumentsFor(directory), ...settings], { ...owner, cwd: directory });
  const positions = [...readFileSync(log, 'utf8').matchAll(/Recovered position:?\s*([\da-f-]{36}:-?\d+)/g)];
  const [, position] = positions.at(-1) ?? [];
  if (position === undefined) throw new Error(`no position in ${readFileSync(log, 'utf8')}`);
  return position;
}

/** How a driver signs in as the administrator, except the port. */
export const ADMIN = { host: '127.0.0.1', user: 'admin', password: 'password', database: 'oauth' } as const;

/** Executes a statement as an administrator. */
export async function mariadbQuery({ port }: Pick<MariadbServer, 'port'>, text: string): Promise<readonly unknown[]> {
  const connection = await createConnection({ ...ADMIN, port });
  try {
    const answer: unknown = await connection.query(text);
    return Array.isArray(answer) ? answer : [];
  } finally {
    await connection.end();
  }
}
