import { afterAll, beforeAll } from 'vitest';
import { approve } from './oauth-flows.js';
import { type OAuthProcess, type ProcessSettings, startOAuthProcesses } from './oauth-processes.js';
import type { Place } from './places.js';

/** Starts several processes on one store before the tests of this suite, in which the owner approves the client `web`. They take turns. */
export function useSeveral(
  count: number,
  open: () => Promise<Place>,
  settings: ProcessSettings,
): (index: number) => OAuthProcess {
  let place: Place | undefined;
  let all: OAuthProcess[] = [];
  const on = (index: number): OAuthProcess => {
    const server = all[index % count];
    if (server === undefined) throw new Error('There is no process.');
    return server;
  };
  beforeAll(async () => {
    place = await open();
    all = await startOAuthProcesses(count, place.address, settings);
    await approve(on(0), on(1));
  }, 120_000);
  afterAll(async () => {
    await Promise.all(all.map((server) => server.kill()));
    await place?.remove();
  });
  return on;
}
