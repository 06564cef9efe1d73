import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryDirectory } from './engines/daemon.js';
import { cut, grantsSurvive, OUTAGE_SECONDS, pause, restart } from './engines/grants-survive.js';
import { noPgBouncer, startPgBouncer } from './engines/pgbouncer.js';
import { startPostgres } from './engines/postgres.js';
import { noRedis, startRedis } from './engines/redis.js';
import { MARIADB, POSTGRES, proxied, type Server } from './engines/servers.js';
import { noSqlite, startHolder } from './engines/sqlite.js';

/** What a command that is acknowledged has written survives the end of this Redis. */
const DURABLE = ['--appendonly', 'yes', '--appendfsync', 'always'];

const SERVERS: readonly (readonly [title: string, missing: string | undefined, start: () => Promise<Server>])[] = [
  ['Redis', noRedis, () => startRedis(...DURABLE)],
  ['PostgreSQL', POSTGRES.missing, POSTGRES.start],
  ['MariaDB, mariadb', MARIADB.missing, MARIADB.start],
];
for (const [title, missing, start] of SERVERS) {
  grantsSurvive(title, missing, () => proxied(start()), {
    paused: ({ server }) => pause(server),
    'killed and started': ({ server }) => restart(server),
    'connections cut': ({ proxies }) => cut(proxies),
  });
}

for (const [title, missing, start, driver] of [
  ['Redis', noRedis, () => startRedis(), 'ioredis'],
  ['MariaDB', MARIADB.missing, MARIADB.start, 'mysql2'],
] as const) {
  grantsSurvive(
    `${title} with a window of 10 s, ${driver}`,
    missing,
    () => proxied<Server>(start()),
    { 'paused for 12 s': ({ server }) => pause(server, 12) },
    { refreshGrace: 10, driver },
  );
}

grantsSurvive(
  'PgBouncer',
  noPgBouncer,
  async () => {
    const postgres = await startPostgres();
    const bouncer = await startPgBouncer(postgres.port);
    return {
      bouncer,
      postgres,
      address: bouncer.url,
      remove: () => Promise.all([bouncer.remove(), postgres.remove()]),
    };
  },
  {
    paused: ({ bouncer }) => pause(bouncer),
    'killed and started': ({ bouncer }) => restart(bouncer),
    'killed and started, the PostgreSQL behind it': ({ postgres }) => restart(postgres),
  },
);

grantsSurvive(
  'SQLite',
  noSqlite,
  async () => {
    const directory = temporaryDirectory();
    const file = join(directory, 'records.db');
    return { file, address: `sqlite:${file}`, remove: () => rmSync(directory, { recursive: true }) };
  },
  {
    'locked by another process': async ({ file }) => {
      const holder = await startHolder(file);
      await sleep(OUTAGE_SECONDS * 1_000);
      await holder.release();
    },
  },
);
