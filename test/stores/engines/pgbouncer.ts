import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram, freePort, startDaemon, temporaryDirectory, type Daemon } from './daemon.js';
import { giveToOwner, noPostgres, owner } from './postgres.js';

const program = findProgram('pgbouncer', ['/usr/sbin', '/usr/local/sbin']);

/** Why no PgBouncer can be started here, if so. */
export const noPgBouncer =
  noPostgres ?? (program === undefined ? 'there is no pgbouncer in PATH or /usr/sbin' : undefined);

/** A PgBouncer of our own in transaction mode, which shares two connections to a PostgreSQL among its clients. */
export async function startPgBouncer(postgresPort: number): Promise<Daemon & { readonly url: string }> {
  if (program === undefined || owner === undefined) throw new Error(noPgBouncer);
  const port = await freePort();
  const directory = temporaryDirectory();
  const file = join(directory, 'pgbouncer.ini');
  writeFileSync(
    file,
    [
      '[databases]',
      `postgres = host=127.0.0.1 port=${postgresPort} dbname=postgres user=postgres`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = any',
      'pool_mode = transaction',
      'default_pool_size = 2',
      'max_client_conn = 200',
    ].join('\n'),
  );
  giveToOwner(directory, file);
  const options = { ...owner, cwd: directory };
  const daemon = await startDaemon({ file: program, args: [file], options, port, directory, ready: /process up/ });
  return { ...daemon, url: `postgres://postgres@127.0.0.1:${port}/postgres` };
}
