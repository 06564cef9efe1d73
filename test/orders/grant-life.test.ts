import { expect, test } from 'vitest';
import { rowsOf, seenSteps, states } from './drawn.js';
import { explore } from './explore.js';
import { PARTS } from './rows.js';
import type { Fault } from './steps.js';

/** Few scenarios that see every step between them; all others are tested not to see more. */
const ROWS: Readonly<Record<string, readonly Fault[]>> = {
  'a token is refreshed and revoked': [],
  'a form is approved, and owners.erase': [],
  'an approved device polls, and grants.revoke of its owner': [],
  'an assertion of an issuer is redeemed, and grants.revoke of its owner': [],
  'a code of a client without refresh tokens is redeemed and redeemed': [],
  'a code is redeemed, and its owner denies another request of the client': [],
  'an approval for one resource is remembered, and the client asks again, for it and for the issuer': [],
  'a refreshed grant, and grants.revoke of its owner': [],
  'personal tokens of different lifetimes, and "revoke all"': [],
  'an old token and its successor are refreshed': [],
  'a token is refreshed, and grants.revoke of its owner': ['ends'],
  'a form is approved, and its owner is signed out': ['twice'],
  'a grant, and then its refresh token is revoked': ['late', 'twice'],
  'a personal token is created twice with one form': ['200 days'],
};

test('every step of test/orders/steps.md is taken, between the states of docs/security.md', async () => {
  const seen = new Set<string>();
  const known = Object.values(PARTS).flat();
  for (const [title, faults] of Object.entries(ROWS)) {
    const of = known.find(({ name }) => name === title);
    expect(of, title).toBeDefined();
    if (of !== undefined) for (const arrow of (await explore(of, { faults })).arrows) seen.add(arrow);
  }
  const drawn = rowsOf('test/orders/steps.md', 'The steps of a grant', 2);
  expect(drawn.filter((step) => !seenSteps(seen).includes(step))).toEqual([]);
  const taken = new Set(drawn.flatMap((row) => row.split(' → ')));
  expect([...taken].sort()).toEqual([...states()].sort());
});
