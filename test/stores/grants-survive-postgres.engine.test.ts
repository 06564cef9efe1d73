import { cut, grantsSurvive, pause, proxied, restart } from './engines/grants-survive.js';
import { noPostgres, startPostgres } from './engines/postgres.js';

grantsSurvive('PostgreSQL', noPostgres, async () => proxied(await startPostgres()), {
  paused: ({ server }) => pause(server),
  'killed and started': ({ server }) => restart(server),
  'connections cut': ({ proxies }) => cut(proxies),
});
