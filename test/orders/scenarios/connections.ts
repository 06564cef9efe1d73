import { scenario, type Scenario } from '../explore.js';
import { endGrants, erase, issue, tokensIn, tokensOf } from '../requests.js';
import { DAY, HOUR, START, type World } from '../world.js';

const ENDS = [
  ['grants.revoke of the owner', () => endGrants({ sub: 'alice' })],
  ['grants.revoke of the client', (client_id: string) => endGrants({ client_id })],
  ['grants.revoke of both', (client_id: string) => endGrants({ sub: 'alice', client_id })],
  ['owners.erase', () => erase],
] as const;

/** After the first entry of a list has ended: sign-ins of hours, of weeks, and of half a year. */
const DAYS = [
  ['short', 'hours', [0, 1.5 / 24, 2.4 / 24]],
  ['app', 'days', [0, 30, 60, 89]],
  ['app', 'half a year', [0, 100, 175, 181]],
] as const;

/** Sign-ins on these days; on the last of them one more, and somebody ends what was allowed. */
export const EXTENDED: readonly Scenario[] = DAYS.flatMap(([client_id, time, days]) =>
  ENDS.map(([name, end]) =>
    scenario({
      name: `a connection is extended after ${time}, and ${name}`,
      setup: async (world: World) => {
        for (const day of days.slice(0, -1)) {
          world.now = START + day * DAY;
          await issue(world.outside, client_id);
        }
        world.now = START + (days.at(-1) ?? 0) * DAY;
      },
      succeed: 'each',
      requests: [(server) => issue(server, client_id), end(client_id)],
    }),
  ),
);

/** Nobody ends it: what was allowed lives as long as it was promised. */
export const EXTENDED_ALONE = scenario({
  name: 'a connection is extended',
  setup: async (world: World) => {
    await issue(world.outside, 'short');
    world.now = START + 1.5 * HOUR;
  },
  succeed: 'each',
  requests: [(server) => issue(server, 'short')],
});

/** An owner who comes back after a disconnection keeps what is allowed then. */
export const BACK_AGAIN = scenario({
  name: 'a connection is ended, and its owner comes back',
  setup: async (world) => {
    await tokensOf(world);
  },
  succeed: 'each',
  requests: [
    async (server) => {
      await endGrants({ sub: 'alice', client_id: 'app' })(server);
      return tokensIn(await issue(server));
    },
  ],
});

/** Another of the owner's sign-ins meets the disconnection. */
export const SIGN_IN_AND_END = scenario({
  name: 'a connection is ended while its owner signs in once more',
  setup: async (world) => {
    await tokensOf(world);
  },
  succeed: 'each',
  requests: [(server) => issue(server), endGrants({ sub: 'alice', client_id: 'app' })],
});

export const TWO_SIGN_INS = scenario({
  name: 'an owner signs in to an application twice for the first time',
  setup: async () => undefined,
  succeed: 'each',
  requests: [(server) => issue(server), (server) => issue(server)],
});
