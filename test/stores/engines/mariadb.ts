import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createConnection } from 'mariadb';
import { findProgram, freePort, startDaemon, temporaryDirectory, type Daemon } from './daemon.js';

const SBIN = ['/usr/sbin', '/usr/local/sbin'];
const mariadbd = findProgram('mariadbd', SBIN);
const install = findProgram('mariadb-install-db');

/** Why no MariaDB can be started here, if so. */
export const noMariadb =
  mariadbd === undefined || install === undefined
    ? 'there is no mariadbd with its mariadb-install-db in PATH'
    : undefined;

export interface MariadbServer extends Daemon {
  /** As `openStore` understands it, for an account with all rights on its database. */
  readonly url: string;
  /** The same for an account that may do everything. */
  readonly adminUrl: string;
}

/** The server would refuse to run as root otherwise. */
const user = process.getuid?.() === 0 ? ['--user=root'] : [];

/** A MariaDB of our own. What it has confirmed survives its end, but not that of the machine. */
export async function startMariadb(...more: string[]): Promise<MariadbServer> {
  if (mariadbd === undefined || install === undefined) throw new Error(noMariadb);
  const port = await freePort();
  const directory = temporaryDirectory();
  const data = join(directory, 'data');
  await promisify(execFile)(install, [
    '--no-defaults',
    `--datadir=${data}`,
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
    '--innodb-log-file-size=8M',
    ...user,
  ]);
  const accounts = join(directory, 'accounts.sql');
  writeFileSync(
    accounts,
    [
      'CREATE DATABASE IF NOT EXISTS oauth CHARACTER SET latin1;',
      "CREATE USER IF NOT EXISTS admin@'127.0.0.1' IDENTIFIED BY 'password';",
      "GRANT ALL ON *.* TO admin@'127.0.0.1' WITH GRANT OPTION;",
      "CREATE USER IF NOT EXISTS app@'127.0.0.1' IDENTIFIED BY 'password';",
      "GRANT ALL ON oauth.* TO app@'127.0.0.1';",
    ].join('\n'),
  );
  const daemon = await startDaemon({
    file: mariadbd,
    args: [
      '--no-defaults',
      `--datadir=${data}`,
      `--port=${port}`,
      '--bind-address=127.0.0.1',
      `--socket=${join(directory, 'socket')}`,
      `--pid-file=${join(directory, 'pid')}`,
      `--init-file=${accounts}`,
      '--skip-name-resolve',
      '--innodb-flush-log-at-trx-commit=2',
      '--innodb-buffer-pool-size=32M',
      '--innodb-log-file-size=8M',
      '--max-connections=400',
      ...user,
      ...more,
    ],
    port,
    directory,
    ready: /ready for connections/,
  });
  const urlOf = (account: string): string => `mariadb://${account}:password@127.0.0.1:${port}/oauth`;
  return { ...daemon, url: urlOf('app'), adminUrl: urlOf('admin') };
}

/** Executes a statement as an administrator. */
export async function mariadbQuery({ port }: Pick<MariadbServer, 'port'>, text: string): Promise<readonly unknown[]> {
  const connection = await createConnection({
    host: '127.0.0.1',
    port,
    user: 'admin',
    password: 'password',
    database: 'oauth',
  });
  try {
    const answer: unknown = await connection.query(text);
    return Array.isArray(answer) ? answer : [];
  } finally {
    await connection.end();
  }
}
