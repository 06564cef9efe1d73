import { rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { temporaryDirectory } from './daemon.js';
import { dumpMariadb, dumpPostgres, dumpRedis, dumpSql } from './dump.js';
import { mariadbQuery, noMariadb, startMariadb } from './mariadb.js';
import { noPostgres, startPostgres } from './postgres.js';
import { noRedis, startRedis, startRedisCluster } from './redis.js';
import { noSqlite, sqliteDrivers } from './sqlite.js';

/** A store that several processes share. */
export interface Place {
  /** As `openStore` understands it. */
  readonly address: string;
  /** Everything that is in it, as text. */
  dump(): Promise<string>;
  remove(): Promise<unknown> | void;
}

/** Every engine that processes can share: its name, why it is missing, and how to start one. */
export const PLACES: readonly (readonly [title: string, missing: string | undefined, open: () => Promise<Place>])[] = [
  [
    'Redis',
    noRedis,
    async () => {
      const { url, remove } = await startRedis();
      return { address: url, dump: () => dumpRedis(url), remove };
    },
  ],
  [
    'a cluster of Redis',
    noRedis,
    async () => {
      const { address, urls, remove } = await startRedisCluster();
      return { address, dump: () => dumpRedis(...urls), remove };
    },
  ],
  [
    'PostgreSQL',
    noPostgres,
    async () => {
      const { url, remove } = await startPostgres();
      const pool = new pg.Pool({ connectionString: url, max: 1 });
      pool.on('error', () => undefined);
      return {
        address: url,
        dump: () => dumpPostgres((text, values) => pool.query(text, values)),
        remove: () => pool.end().then(remove),
      };
    },
  ],
  [
    'MariaDB',
    noMariadb,
    async () => {
      const server = await startMariadb();
      return {
        address: server.url,
        dump: () => dumpMariadb((text) => mariadbQuery(server, text)),
        remove: server.remove,
      };
    },
  ],
  [
    'a file of SQLite',
    noSqlite,
    async () => {
      const directory = temporaryDirectory();
      const file = join(directory, 'oauth.db');
      const [, open] = sqliteDrivers[0] ?? [];
      return {
        address: `sqlite:${file}`,
        dump: async () => {
          const database = open?.(file);
          if (database === undefined) throw new Error('There is no driver.');
          const text = dumpSql(database);
          database.close();
          return text;
        },
        remove: () => rmSync(directory, { recursive: true, force: true }),
      };
    },
  ],
];

/** A few that differ most: for suites about what is stored, and not about how. */
export const DIFFERENT = PLACES.filter(([title]) => ['Redis', 'PostgreSQL', 'a file of SQLite'].includes(title));
