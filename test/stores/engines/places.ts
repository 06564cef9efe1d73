import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from './daemon.js';
import { noMariadb, startMariadb } from './mariadb.js';
import { noPostgres, startPostgres } from './postgres.js';
import { noRedis, startRedis, startRedisCluster } from './redis.js';
import { noSqlite } from './sqlite.js';

/** A store that several processes share. */
export interface Place {
  /** As `openStore` understands it. */
  readonly address: string;
  remove(): Promise<unknown> | void;
}

const atUrl = (start: () => Promise<{ readonly url: string; remove(): Promise<void> }>) => async (): Promise<Place> => {
  const { url, remove } = await start();
  return { address: url, remove };
};

/** Every engine that processes can share: its name, why it is missing, and how to start one. */
export const PLACES: readonly (readonly [title: string, missing: string | undefined, open: () => Promise<Place>])[] = [
  ['Redis', noRedis, atUrl(() => startRedis())],
  ['a cluster of Redis', noRedis, () => startRedisCluster()],
  ['PostgreSQL', noPostgres, atUrl(startPostgres)],
  ['MariaDB', noMariadb, atUrl(() => startMariadb())],
  [
    'a file of SQLite',
    noSqlite,
    async () => {
      const directory = temporaryDirectory();
      return {
        address: `sqlite:${join(directory, 'oauth.db')}`,
        remove: () => rmSync(directory, { recursive: true, force: true }),
      };
    },
  ],
];
