import { cut, grantsSurvive, pause, restart } from './engines/grants-survive.js';
import { noRedis, startRedis, startRedisSentinel } from './engines/redis.js';
import { proxied } from './engines/servers.js';

/** What a command that is acknowledged has written survives the end of this Redis. */
const DURABLE = ['--appendonly', 'yes', '--appendfsync', 'always'];

grantsSurvive('Redis', noRedis, () => proxied(startRedis(...DURABLE)), {
  paused: ({ server }) => pause(server),
  'killed and started': ({ server }) => restart(server),
  'connections cut': ({ proxies }) => cut(proxies),
});

grantsSurvive(
  'Redis with a window of 10 s, ioredis',
  noRedis,
  () => proxied(startRedis()),
  { 'paused for 12 s': ({ server }) => pause(server, 12) },
  { refreshGrace: 10, driver: 'ioredis' },
);

grantsSurvive('Sentinel', noRedis, startRedisSentinel, { 'the master fails over': ({ failOver }) => failOver() });
