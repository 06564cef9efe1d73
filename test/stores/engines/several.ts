import { afterAll, beforeAll } from 'vitest';
import { approve } from './oauth-flows.js';
import { type OAuthProcess, type ProcessSettings, startOAuthProcesses } from './oauth-processes.js';

interface Place {
  readonly address: string | readonly string[];
  remove(): Promise<unknown> | void;
}

/** Several processes on one store, during a suite. */
export interface Several<P extends Place> {
  readonly place: P;
  readonly all: readonly OAuthProcess[];
  /** They take turns. */
  on(index: number): OAuthProcess;
  /** What each of them answers. */
  each<T>(ask: (server: OAuthProcess, index: number) => Promise<T>): Promise<T[]>;
}

/**
 * Starts them before the tests of this suite.
 *
 * @param approved - Whether the owner has approved the client `web`.
 */
export function useSeveral<P extends Place>(
  count: number,
  open: () => Promise<P>,
  settings: ProcessSettings | ((index: number) => ProcessSettings) = {},
  approved = false,
): Several<P> {
  let place: P | undefined;
  let all: OAuthProcess[] = [];
  const several: Several<P> = {
    get place() {
      if (place === undefined) throw new Error('The store is not there.');
      return place;
    },
    get all() {
      return all;
    },
    on(index) {
      const server = all[index % count];
      if (server === undefined) throw new Error('There is no process.');
      return server;
    },
    each: (ask) => Promise.all(all.map(ask)),
  };
  beforeAll(async () => {
    place = await open();
    all = await startOAuthProcesses(count, place.address, settings);
    if (approved) await approve(several.on(0), several.on(1));
  }, 120_000);
  afterAll(async () => {
    await Promise.all(all.map((server) => server.kill()));
    await place?.remove();
  });
  return several;
}
