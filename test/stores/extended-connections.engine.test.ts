import { openStore, type OpenedStore } from 'oauth-query/stores/open';
import { afterAll, beforeAll } from 'vitest';
import { extendedConnectionCases } from '../oauth/support/extended-connections.js';
import { describeEngine } from './engines/availability.js';
import { type Place, PLACES } from './engines/places.js';

for (const [title, missing, start] of PLACES) {
  describeEngine(`an owner who came back, in ${title}`, missing, () => {
    let opened: OpenedStore | undefined;
    let place: Place;
    beforeAll(async () => {
      place = await start();
    }, 120_000);
    afterAll(async () => {
      await opened?.close();
      await place?.remove();
    });
    extendedConnectionCases(async (clock) => {
      // The one of the test before may remove what is expired by its clock.
      await opened?.close();
      opened = await openStore(place.address, { clock, timeout: 10_000 });
      await opened.migrate();
      return opened;
    });
  });
}
