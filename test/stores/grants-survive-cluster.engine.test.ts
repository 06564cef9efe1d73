import { describe } from 'vitest';
import { cut, grantsSurvive } from './engines/grants-survive.js';
import { noRedis, startRedisCluster } from './engines/redis.js';

describe.each(['redis', 'ioredis'] as const)('with %s', (driver) => {
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
});
