import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Store } from 'oauth-query/store';
import { type OpenedStore, openStore } from 'oauth-query/stores/open';
import { afterAll, beforeAll, describe } from 'vitest';
import { describeEngine } from '../stores/engines/availability.js';
import { temporaryDirectory } from '../stores/engines/daemon.js';
import { noPostgres, startPostgres } from '../stores/engines/postgres.js';
import { noRedis, startRedis } from '../stores/engines/redis.js';
import { noSqlite } from '../stores/engines/sqlite.js';
import { storedClientsCases } from './stored-clients-cases.js';

interface Place {
  readonly address: string;
  remove(): Promise<unknown> | void;
}

const ENGINES = [
  {
    name: 'Redis',
    reason: noRedis,
    start: async (): Promise<Place> => {
      const redis = await startRedis();
      return { address: redis.url, remove: () => redis.remove() };
    },
  },
  {
    name: 'PostgreSQL',
    reason: noPostgres,
    start: async (): Promise<Place> => {
      const { url, remove } = await startPostgres();
      return { address: url, remove };
    },
  },
  {
    name: 'SQLite',
    reason: noSqlite,
    start: (): Promise<Place> => {
      const directory = temporaryDirectory();
      return Promise.resolve({
        address: `sqlite:${join(directory, 'oauth.db')}`,
        remove: () => rmSync(directory, { recursive: true, force: true }),
      });
    },
  },
];

describe.each(ENGINES)('stored clients on $name', ({ name, reason, start }) => {
  describeEngine(name, reason, () => {
    let place: Place;
    let stores: OpenedStore[] = [];
    let turn = 0;
    beforeAll(async () => {
      place = await start();
      // Two connections are two processes to the store.
      stores = await Promise.all([openStore(place.address), openStore(place.address)]);
      await stores[0]?.migrate();
    });
    afterAll(async () => {
      await Promise.all(stores.map((store) => store.close()));
      await place?.remove();
    });
    storedClientsCases((): Store => {
      const store = stores[(turn += 1) % 2];
      if (store === undefined) throw new Error('no store');
      return store;
    });
  });
});
