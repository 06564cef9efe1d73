import type { ClientRegistration } from '../../../src/core/oauth/clients/client.js';
import { parseRefreshToken } from '../../../src/core/oauth/records/token-id.js';
import { scenario, type Scenario } from '../explore.js';
import { isSuccess, type Server } from '../history.js';
import { endGrants, erase, issue, OPTIONS, refresh, revoke, tokensIn, tokensOf } from '../requests.js';
import { type Host, type Options, World } from '../world.js';

export const REFRESH_ONCE = scenario({
  name: 'a token is refreshed',
  before: tokensOf,
  acts: [(server, { refresh_token }) => refresh(server, refresh_token)],
});

export const REFRESH_TWICE = scenario({
  name: 'a token is refreshed and refreshed',
  before: tokensOf,
  acts: [
    (server, { refresh_token }) => refresh(server, refresh_token),
    (server, { refresh_token }) => refresh(server, refresh_token),
  ],
});

export const REFRESH_THRICE = scenario({
  name: 'a token is refreshed by three',
  before: tokensOf,
  acts: [1, 2, 3].map(
    () => (server: Server, given: { readonly refresh_token: string }) => refresh(server, given.refresh_token),
  ),
});

export const OLD_AND_NEW = scenario({
  name: 'an old token and its successor are refreshed',
  before: async (world) => {
    const { refresh_token: old } = await tokensOf(world);
    return { old, next: tokensIn(await refresh(world.outside, old)).refresh_token };
  },
  acts: [(server, { old }) => refresh(server, old, 'thief'), (server, { next }) => refresh(server, next)],
});

export const THIEF = scenario({
  name: 'a thief and the owner of a token refresh it',
  before: tokensOf,
  acts: [
    (server, { refresh_token }) => refresh(server, refresh_token, 'thief'),
    (server, { refresh_token }) => refresh(server, refresh_token),
  ],
});

export const REFRESH_AND_REVOKE = scenario({
  name: 'a token is refreshed and revoked',
  before: tokensOf,
  acts: [
    (server, { refresh_token }) => refresh(server, refresh_token),
    (server, { refresh_token }) => revoke(server, refresh_token),
  ],
});

export const REFRESH_AND_ERASE = scenario({
  name: 'a token is refreshed, and owners.erase',
  before: tokensOf,
  acts: [(server, { refresh_token }) => refresh(server, refresh_token), erase],
});

export const REFRESH_AND_END: readonly Scenario[] = [
  ['grants.revoke of its owner', endGrants({ sub: 'alice' })] as const,
  ['grants.revoke of its client', endGrants({ client_id: 'app' })] as const,
].map(([name, end]) =>
  scenario({
    name: `a token is refreshed, and ${name}`,
    before: tokensOf,
    acts: [(server, { refresh_token }) => refresh(server, refresh_token), end],
  }),
);

export const SENT_AND_END = scenario({
  name: 'a refreshed grant, and grants.revoke of its owner',
  before: async (world) => {
    await refresh(world.outside, (await tokensOf(world)).refresh_token);
  },
  acts: [endGrants({ sub: 'alice' })],
});

/** The host no longer lets an owner in, or knows the client no more. */
const gone = (name: string, options: (host: Host) => Options): Scenario =>
  scenario({
    name: `a token is refreshed, and ${name}`,
    options,
    before: tokensOf,
    acts: [
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
  before: tokensOf,
  acts: [
    async (server, { refresh_token }) => {
      const first = await refresh(server, refresh_token);
      const answer = isSuccess(first) ? first : await refresh(server, refresh_token);
      return isSuccess(answer) ? revoke(server, tokensIn(answer).access_token) : undefined;
    },
  ],
});

export const GRANT_REVOKED = scenario({
  name: 'a grant, and then its refresh token is revoked',
  before: async () => undefined,
  acts: [
    async (server) => {
      const issued = await issue(server).catch(() => undefined);
      return issued?.refresh_token === undefined ? undefined : revoke(server, issued.refresh_token);
    },
  ],
});
