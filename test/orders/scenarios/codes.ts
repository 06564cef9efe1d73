import { scenario, type Scenario } from '../explore.js';
import { codeOf, endGrants, erase, redeem, revoke, tokensOf } from '../requests.js';
import type { Full } from '../world.js';

const before = async ({ outside }: Parameters<Scenario['before']>[0]) => codeOf(outside);

/** @param between - A store that is not what it should be. */
export const redeemTwice = (between?: (store: Full) => Full): Scenario =>
  scenario({
    name: 'a code is redeemed and redeemed',
    before,
    acts: [redeem, redeem],
    ...(between !== undefined && { between }),
  });

export const REDEEM_TWICE = redeemTwice();

export const REDEEM_THRICE = scenario({ name: 'a code is redeemed by three', before, acts: [redeem, redeem, redeem] });

/** A code is redeemed, and meanwhile what it belongs to ends. */
export const REDEEM_AND_END: readonly Scenario[] = [
  ...(
    [
      ['grants.revoke of its owner', endGrants({ sub: 'alice' })],
      ['grants.revoke of its client', endGrants({ client_id: 'app' })],
      ['grants.revoke of both', endGrants({ sub: 'alice', client_id: 'app' })],
      ['owners.erase', erase],
    ] as const
  ).map(([name, end]) => scenario({ name: `a code is redeemed, and ${name}`, before, acts: [redeem, end] })),
  scenario({
    name: 'a code is redeemed, and an access token of the same owner is revoked',
    before: async (world) => ({ code: await codeOf(world.outside), ...(await tokensOf(world)) }),
    acts: [(server, { code }) => redeem(server, code), (server, { access_token }) => revoke(server, access_token)],
  }),
];

export const REDEEM_SHORT = scenario({
  name: 'a code of a client without refresh tokens is redeemed and redeemed',
  before: ({ outside }) => codeOf(outside, 'short'),
  acts: [(server, code) => redeem(server, code, 'short'), (server, code) => redeem(server, code, 'short')],
});
