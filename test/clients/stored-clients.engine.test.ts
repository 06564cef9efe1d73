import type { Store } from 'oauth-query/store';
import { type OpenedStore, openStore } from 'oauth-query/stores/open';
import { afterAll, beforeAll } from 'vitest';
import { describeEngine } from '../stores/engines/availability.js';
import { DIFFERENT, type Place } from '../stores/engines/places.js';
import { storedClientsCases } from './stored-clients-cases.js';

for (const [title, missing, open] of DIFFERENT) {
  describeEngine(`stored clients on ${title}`, missing, () => {
    let place: Place;
    let stores: OpenedStore[] = [];
    let turn = 0;
    beforeAll(async () => {
      place = await open();
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
}
