import { cut, grantsSurvive, pause, proxied, restart } from './engines/grants-survive.js';
import { noMariadb, startMariadb } from './engines/mariadb.js';

grantsSurvive('MariaDB, mariadb', noMariadb, async () => proxied(await startMariadb()), {
  paused: ({ server }) => pause(server),
  'killed and started': ({ server }) => restart(server),
  'connections cut': ({ proxies }) => cut(proxies),
});

grantsSurvive(
  'MariaDB with a window of 10 s, mysql2',
  noMariadb,
  async () => proxied(await startMariadb()),
  { 'paused for 12 s': ({ server }) => pause(server, 12) },
  { refreshGrace: 10, driver: 'mysql2' },
);
