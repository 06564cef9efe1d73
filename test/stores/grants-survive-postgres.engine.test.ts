import { cut, grantsSurvive, pause, restart } from './engines/grants-survive.js';
import { POSTGRES, proxied } from './engines/servers.js';

grantsSurvive('PostgreSQL', POSTGRES.missing, () => proxied(POSTGRES.start()), {
  paused: ({ server }) => pause(server),
  'killed and started': ({ server }) => restart(server),
  'connections cut': ({ proxies }) => cut(proxies),
});
