import { expect, test } from 'vitest';
import { explore, replay } from './explore.js';
import { PARTS } from './rows.js';
import { redeemTwice } from './scenarios/codes.js';

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

test.each(PARTS.tokens.map((one) => [one.name, one] as const))(
  'the same schedule gives the same bytes: %s',
  async (_, one) => {
    const [once, again] = [await replay(one, [], ''), await replay(one, [], '')];
    const schedule = once.taken.toReversed().map(({ id }) => id);
    expect(once.digest).toBe(again.digest);
    expect((await replay(one, [], schedule.join(' '))).digest).toBe((await replay(one, [], schedule.join(' '))).digest);
  },
);
