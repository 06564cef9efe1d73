import { query, type QueryOptions } from '../../src/core/query/index.js';
import { sandbox, type SandboxOptions } from '../../src/sandbox/index.js';
import type { Host, RunningHost } from '../hosts.js';
import { type Fixture, fixture } from '../oauth/support/fixture.js';

/** A title that would run if anything ever took it for HTML. */
export const HOSTILE = `<img src=x onerror="globalThis.hacked=1">`;

/** Titles in the order of the list, the hostile one among the first. */
export const TITLES = [
  HOSTILE,
  ...Array.from({ length: 21 }, (_one, index) => `Page ${String(index).padStart(2, '0')}`),
];

const OPTIONS: QueryOptions = {
  site: { name: 'Orchard' },
  modules: {
    allpages: ({ limit, continue: from = '' }) => {
      const rest = TITLES.slice(from === '' ? 0 : TITLES.indexOf(from));
      return {
        items: rest.slice(0, limit).map((title) => ({ pageid: TITLES.indexOf(title) + 1, ns: 0, title })),
        continue: rest[limit],
      };
    },
    revisions: () => ({ pages: {} }),
    watchlist: () => [],
  },
};

/** A site with a sandbox and the client that it signs in with. */
export interface SandboxSite extends Fixture {
  readonly host: RunningHost;
  readonly address: string;
}

export const startSandboxSite = async (
  { start }: Host,
  options: SandboxOptions = { client_id: 'sandbox' },
): Promise<SandboxSite> => {
  const sites: Fixture[] = [];
  const host = await start({
    options: (base) => {
      const client = {
        client_id: 'sandbox',
        client_name: 'The sandbox',
        grant_types: ['authorization_code'] as const,
        redirect_uris: [`${base}/api/sandbox`],
        scope: 'profile highvolume',
        default_scope: 'profile',
      };
      const site = fixture({ clients: [client], features: [query(OPTIONS), sandbox(options)] });
      sites.push(site);
      return site.options;
    },
  });
  return { ...sites[0]!, host, address: `${host.base}/api/sandbox` };
};
