import { cut, grantsSurvive, pause, restart } from './engines/grants-survive.js';
import { MARIADB, proxied } from './engines/servers.js';

grantsSurvive('MariaDB, mariadb', MARIADB.missing, () => proxied(MARIADB.start()), {
  paused: ({ server }) => pause(server),
  'killed and started': ({ server }) => restart(server),
  'connections cut': ({ proxies }) => cut(proxies),
});

grantsSurvive(
  'MariaDB with a window of 10 s, mysql2',
  MARIADB.missing,
  () => proxied(MARIADB.start()),
  { 'paused for 12 s': ({ server }) => pause(server, 12) },
  { refreshGrace: 10, driver: 'mysql2' },
);
