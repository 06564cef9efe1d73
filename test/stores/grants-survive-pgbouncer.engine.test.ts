import { grantsSurvive, pause, restart } from './engines/grants-survive.js';
import { noPgBouncer, startPgBouncer } from './engines/pgbouncer.js';
import { startPostgres } from './engines/postgres.js';

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
