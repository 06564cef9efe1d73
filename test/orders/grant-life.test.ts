import { expect, test } from 'vitest';
import { rowsOf, seenSteps } from './drawn.js';
import { explore } from './explore.js';
import type { Row } from './rows.js';
import { PERSONAL, PUSHED } from './scenarios/approvals.js';
import { REDEEM_SHORT } from './scenarios/codes.js';
import { EXTENDED } from './scenarios/connections.js';
import { SESSIONS } from './scenarios/sessions.js';
import { GONE, GRANT_REVOKED, OLD_AND_NEW, REFRESH_AND_END, SENT_AND_END } from './scenarios/tokens.js';

/** Few that see every step; all others are tested not to see more. */
const ROWS: readonly Row[] = [
  ...[
    ...EXTENDED.filter(({ name }) => /erase|half a year, and grants.revoke of the owner/.test(name)),
    ...[PUSHED, OLD_AND_NEW, SENT_AND_END, REDEEM_SHORT],
    ...[...SESSIONS, ...GONE, ...PERSONAL],
  ].map((one): Row => [one, []]),
  ...REFRESH_AND_END.map((one): Row => [one, ['ends']]),
  [PERSONAL[0] as (typeof PERSONAL)[number], ['200 days']],
  [GRANT_REVOKED, ['late', 'twice']],
  ...SESSIONS.filter(({ name }) => name === 'a form is approved, and its owner is signed out').map((one): Row => [
    one,
    ['twice'],
  ]),
];

test('every step of test/orders/steps.md is taken, between the states of docs/security.md', async () => {
  const seen = new Set<string>();
  for (const [of, faults] of ROWS) for (const arrow of (await explore(of, { faults })).arrows) seen.add(arrow);
  const drawn = rowsOf('test/orders/steps.md', 'The steps of a grant', 2);
  expect(drawn.filter((step) => !seenSteps(seen).includes(step))).toEqual([]);
  const states = new Set(drawn.flatMap((row) => row.split(' → ')));
  expect([...states].sort()).toEqual([...rowsOf('docs/security.md', 'The life of a grant', 1)].sort());
});
