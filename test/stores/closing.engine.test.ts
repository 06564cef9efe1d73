import { openStore } from 'oauth-query/stores/open';
import { expect, test } from 'vitest';
import { describeEngine } from './engines/availability.js';
import { PLACES } from './engines/places.js';

for (const [title, missing, open] of PLACES)
  describeEngine(title, missing, () => {
    test('close waits for commands under way, because work may follow the last response', async () => {
      const { address, remove } = await open();
      try {
        const store = await openStore(address);
        await store.migrate();
        // More than there are connections.
        const commands = Array.from({ length: 50 }, (_, n) => store.add(`key-${n}`, { rev: 'a' }, Date.now() + 60_000));
        const results = Promise.allSettled(commands);
        await store.close();
        expect((await results).filter((result) => result.status !== 'fulfilled' || !result.value)).toEqual([]);
      } finally {
        await remove();
      }
    });
  });
