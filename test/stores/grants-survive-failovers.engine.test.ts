import { cut, grantsSurvive } from './engines/grants-survive.js';
import { noRedis, startRedisCluster, startRedisSentinel } from './engines/redis.js';

for (const driver of ['redis', 'ioredis'] as const) {
  grantsSurvive(
    `Redis Cluster, ${driver}`,
    noRedis,
    () => startRedisCluster({ replicas: true, proxied: true }),
    {
      'connections cut': ({ proxies }) => cut(proxies.slice(0, 3)),
      'a master fails over': ({ failOver }) => failOver(),
    },
    { driver },
  );
}

grantsSurvive('Sentinel', noRedis, startRedisSentinel, { 'the master fails over': ({ failOver }) => failOver() });
