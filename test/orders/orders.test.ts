import { expect, test } from 'vitest';
import { explore, forget, replay } from './explore.js';
import type { Server } from './history.js';
import { redeem } from './requests.js';
import { PARTS } from './rows.js';
import { REDEEM_TWICE, redeemTwice } from './scenarios/codes.js';
import { REFRESH_AND_REVOKE } from './scenarios/tokens.js';
import type { World } from './world.js';

test('a store whose swap has two winners is noticed', async () => {
  const unfit = redeemTwice((store) => ({
    ...store,
    swap: async (...record) => {
      await store.swap(...record);
      return true;
    },
  }));
  const { broken } = await explore(unfit);
  expect(broken.flatMap(({ promises }) => promises)).toContain('P1: a code gives two grants');
  expect(broken[0]?.text).toContain('swap chain');
});

test('a scenario whose setup fails, or whose requests do not succeed, is noticed', async () => {
  const wrong = { ...REDEEM_TWICE, requests: [(server: Server) => redeem(server, 'x'.repeat(65))] };
  expect((await explore(wrong)).broken[0]?.promises).toContain('Liveness: no request succeeds');
  const unset = { ...REDEEM_TWICE, setup: ({ outside }: World) => redeem(outside, 'x'.repeat(65)) };
  await expect(explore(unset)).rejects.toThrow('The setup of "a code is redeemed and redeemed" fails');
});

test.each([REDEEM_TWICE, REFRESH_AND_REVOKE])('orders that are left out lead to nothing new: $name', async (one) => {
  const [few, all] = [
    await explore(one, { faults: ['ends'] }),
    await explore(one, { faults: ['ends'], isReduced: false }),
  ];
  expect(few.states).toEqual(all.states);
  expect(few.outcomes).toEqual(all.outcomes);
  expect(few.runs).toBeLessThan(all.runs);
});

test.each(PARTS.tokens.map((one) => [one.name, one] as const))(
  'the same schedule gives the same bytes: %s',
  async (_, one) => {
    const once = await replay(one, [], '');
    forget(one);
    const again = await replay(one, [], '');
    const schedule = once.taken.toReversed().map(({ id }) => id);
    expect(once.digest).toBe(again.digest);
    const backwards = await replay(one, [], schedule.join(' '));
    forget(one);
    expect((await replay(one, [], schedule.join(' '))).digest).toBe(backwards.digest);
  },
);
