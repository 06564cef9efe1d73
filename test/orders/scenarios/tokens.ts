import type { ClientRegistration } from '../../../src/core/oauth/clients/client.js';
import { parseRefreshToken } from '../../../src/core/oauth/records/token-id.js';
import { rsaPair } from '../../rsa.js';
import { scenario, type Scenario } from '../explore.js';
import { isSuccess, type Server } from '../history.js';
import { endGrants, erase, introspect, issue, OPTIONS, refresh, revoke, tokensIn, tokensOf } from '../requests.js';
import { PASSING } from '../steps.js';
import { type Host, HOUR, type Options, SECOND, World } from '../world.js';

export const REFRESH_ONCE = scenario({
  name: 'a token is refreshed',
  setup: tokensOf,
  succeed: 'each',
  requests: [(server, { refresh_token }) => refresh(server, refresh_token)],
});

export const REFRESH_TWICE = scenario({
  name: 'a token is refreshed and refreshed',
  setup: tokensOf,
  succeed: 'each',
  requests: [
    (server, { refresh_token }) => refresh(server, refresh_token),
    (server, { refresh_token }) => refresh(server, refresh_token),
  ],
});

export const REFRESH_THRICE = scenario({
  name: 'a token is refreshed by three',
  setup: tokensOf,
  succeed: 'each',
  requests: [1, 2, 3].map(
    () => (server: Server, given: { readonly refresh_token: string }) => refresh(server, given.refresh_token),
  ),
});

export const OLD_AND_NEW = scenario({
  name: 'an old token and its successor are refreshed',
  setup: async (world) => {
    const { refresh_token: old } = await tokensOf(world);
    return { old, next: tokensIn(await refresh(world.outside, old)).refresh_token };
  },
  succeed: [1],
  requests: [(server, { old }) => refresh(server, old, 'thief'), (server, { next }) => refresh(server, next)],
});

export const THIEF = scenario({
  name: 'a thief and the owner of a token refresh it',
  setup: tokensOf,
  succeed: 'each',
  requests: [
    (server, { refresh_token }) => refresh(server, refresh_token, 'thief'),
    (server, { refresh_token }) => refresh(server, refresh_token),
  ],
});

export const REFRESH_AND_REVOKE = scenario({
  name: 'a token is refreshed and revoked',
  setup: tokensOf,
  succeed: [1],
  requests: [
    (server, { refresh_token }) => refresh(server, refresh_token),
    (server, { refresh_token }) => revoke(server, refresh_token),
  ],
});

export const REFRESH_AND_ERASE = scenario({
  name: 'a token is refreshed, and owners.erase',
  setup: tokensOf,
  succeed: [1],
  requests: [(server, { refresh_token }) => refresh(server, refresh_token), erase],
});

export const REFRESH_AND_END: readonly Scenario[] = [
  ['grants.revoke of its owner', endGrants({ sub: 'alice' })] as const,
  ['grants.revoke of its client', endGrants({ client_id: 'app' })] as const,
].map(([name, end]) =>
  scenario({
    name: `a token is refreshed, and ${name}`,
    setup: tokensOf,
    succeed: [1],
    requests: [(server, { refresh_token }) => refresh(server, refresh_token), end],
  }),
);

export const SENT_AND_END = scenario({
  name: 'a refreshed grant, and grants.revoke of its owner',
  setup: async (world) => {
    await refresh(world.outside, (await tokensOf(world)).refresh_token);
  },
  succeed: 'each',
  requests: [endGrants({ sub: 'alice' })],
});

/** The host no longer lets an owner in, or knows the client no more. */
const gone = (name: string, options: (host: Host) => Options): Scenario =>
  scenario({
    name: `a token is refreshed, and ${name}`,
    options,
    setup: tokensOf,
    succeed: [1],
    requests: [
      (server, { refresh_token }) => refresh(server, refresh_token),
      (server, { refresh_token }) => {
        const { world, actor } = World.of(server);
        const grant = parseRefreshToken(refresh_token)?.grant ?? '';
        return world.act(actor, [{ type: 'end', of: { grant }, isOfHost: true }], () => world.become(actor, 'gone'));
      },
    ],
  });

const find =
  (host: Host) =>
  async (id: string): Promise<ClientRegistration | undefined> =>
    id === 'app' && (await host.is('gone')) ? undefined : OPTIONS.clients.find(({ client_id }) => client_id === id);

export const GONE: readonly Scenario[] = [
  gone('its owner is disabled', (host) => ({ ...OPTIONS, validateGrant: async () => !(await host.is('gone')) })),
  gone('its client is disabled', (host) => ({ ...OPTIONS, clients: { find: find(host) } })),
];

/** A client that repeats its refresh elsewhere after an error, and then revokes its access token. */
export const ACCESS_REVOKED = scenario({
  name: 'a refresh, repeated elsewhere if it fails; then its access token is revoked',
  setup: tokensOf,
  succeed: 'each',
  requests: [
    async (server, { refresh_token }) => {
      const first = await refresh(server, refresh_token);
      const answer = isSuccess(first) ? first : await refresh(server, refresh_token);
      if (!isSuccess(answer)) return undefined;
      const revoked = await revoke(server, tokensIn(answer).access_token);
      // More than half of the time that the token had: what comes late may come then, too.
      World.of(server).world.now += 0.6 * HOUR;
      return revoked;
    },
  ],
});

export const GRANT_REVOKED = scenario({
  name: 'a grant, and then its refresh token is revoked',
  setup: async () => undefined,
  succeed: 'each',
  requests: [
    async (server) => {
      const issued = await issue(server).catch(() => undefined);
      return issued?.refresh_token === undefined ? undefined : revoke(server, issued.refresh_token);
    },
  ],
});

// Its signatures are the same each time.
const { privateKey } = rsaPair();
const { features: _, ...WITHOUT_PERSONAL } = OPTIONS;
const JWT: Options = { ...WITHOUT_PERSONAL, jwt: [{ key: privateKey }] };

/** A signed token is no record, so its end is one. */
export const JWT_REVOKED = scenario({
  name: 'a signed token is revoked and used',
  options: JWT,
  setup: tokensOf,
  succeed: 'each',
  requests: [
    (server, { access_token }) => revoke(server, access_token),
    (server, { access_token }) => introspect(server, access_token),
  ],
  also: async (world, { access_token }) => {
    await introspect(world.outside, access_token);
    world.now += 0.8 * HOUR;
    await introspect(world.outside, access_token);
    return [];
  },
  except: [
    [['an hour ahead'], /^P2: accepted after the response of what ended token/, 'where it was revoked, it had expired'],
  ],
});

/** The list of grants says when a token that is not rotated was used last. */
export const REUSED = scenario({
  name: 'a token that is not rotated is refreshed after two hours',
  options: {
    ...OPTIONS,
    clients: OPTIONS.clients.map((client) =>
      client.client_id === 'app' ? { ...client, refresh: 'reusable' as const } : client,
    ),
  },
  setup: async (world) => {
    const tokens = await tokensOf(world);
    world.now += 2 * HOUR;
    return tokens;
  },
  succeed: 'each',
  requests: [(server, { refresh_token }) => refresh(server, refresh_token)],
  also: async ({ outside, now, queue }, _given, [answer]) => {
    const { grants } = await outside.grants.list({ sub: 'alice' });
    const isListed = grants.every(({ last_refreshed }) => (last_refreshed ?? 0) >= now / SECOND - 30);
    return isListed || queue.hasEnded || !isSuccess(answer) ? [] : ['P7: a use is not listed'];
  },
  except: [[PASSING, /^P7: a use is not listed/, 'it is listed with the time at which the request began']],
});

/** A record that this version cannot read names its owner, too. */
export const UNREADABLE = scenario({
  name: 'a grant that cannot be read, and owners.erase',
  setup: async (world) => {
    await tokensOf(world);
    for (const [key, value] of [...world.store.entries()]) {
      if (!key.includes(':grant:')) continue;
      await world.logged.delete(key);
      await world.logged.add(key, { ...value, scope: 5 }, Number(Reflect.get(value, 'exp')) * SECOND);
    }
  },
  succeed: 'each',
  requests: [erase],
  except: [
    [
      ['forgets'],
      /^P8: (?:a record names an erased owner|the second)/,
      'only grants that can be read are counted; the second erasure deletes it',
    ],
  ],
});
