import type { Scenario } from './explore.js';
import { DEVICE_THREE, DEVICES, FORMS, PERSONAL, PUSHED } from './scenarios/approvals.js';
import { ASSERTION, PROOFS, ROTATED, STRANGERS } from './scenarios/clients.js';
import { REDEEM_AND_END, REDEEM_SHORT, REDEEM_THRICE, REDEEM_TWICE } from './scenarios/codes.js';
import { BACK_AGAIN, EXTENDED, SIGN_IN_AND_END, TWO_SIGN_INS } from './scenarios/connections.js';
import { SESSIONS } from './scenarios/sessions.js';
import {
  ACCESS_REVOKED,
  GONE,
  GRANT_REVOKED,
  OLD_AND_NEW,
  REFRESH_AND_END,
  REFRESH_AND_ERASE,
  REFRESH_AND_REVOKE,
  REFRESH_ONCE,
  REFRESH_THRICE,
  REFRESH_TWICE,
  SENT_AND_END,
  THIEF,
} from './scenarios/tokens.js';
import type { Fault } from './world.js';

/** The scenarios by subject, each subject a part of its own: parts run at the same time. */
export const PARTS = {
  tokens: [
    REDEEM_TWICE,
    REDEEM_SHORT,
    ...REDEEM_AND_END,
    REFRESH_ONCE,
    REFRESH_TWICE,
    OLD_AND_NEW,
    THIEF,
    REFRESH_AND_REVOKE,
    REFRESH_AND_ERASE,
    SENT_AND_END,
    ...REFRESH_AND_END,
    ...GONE,
    ACCESS_REVOKED,
    GRANT_REVOKED,
  ],
  approvals: [...FORMS, ...DEVICES, ...PERSONAL, PUSHED],
  connections: [...EXTENDED, BACK_AGAIN, SIGN_IN_AND_END, TWO_SIGN_INS],
  clients: [ROTATED, ASSERTION, ...PROOFS, ...STRANGERS, ...SESSIONS],
} as const satisfies Readonly<Record<string, readonly Scenario[]>>;

export type Part = keyof typeof PARTS;

/** Where a lost reply is tried with every run of the tests. */
const LOST: ReadonlySet<Scenario> = new Set([
  REDEEM_TWICE,
  REFRESH_ONCE,
  REFRESH_TWICE,
  REFRESH_AND_REVOKE,
  REFRESH_AND_ERASE,
  ...EXTENDED.filter(({ name }) => name.includes('hours, and grants.revoke of both')),
]);

/** Where a command that comes late, and one that is sent twice, is tried with every run of the tests: each once brought back what had ended. */
const RESENT: ReadonlySet<Scenario> = new Set([ACCESS_REVOKED, GRANT_REVOKED, BACK_AGAIN]);

/** Every command of these may be the last one in `npm run interleavings` alone, because they have many. */
const LONG: ReadonlySet<Scenario> = new Set([
  ...EXTENDED.filter((one) => !LOST.has(one)),
  ...PERSONAL.slice(0, 2),
  ...[SIGN_IN_AND_END, TWO_SIGN_INS, PUSHED],
  ...FORMS.filter(({ name }) => name.startsWith('two forms')),
  ...SESSIONS.filter(({ name }) => name.includes('erased')),
]);

/** A row is a scenario, with at most one of these faults in each of its orders. */
export type Row = readonly [scenario: Scenario, faults: readonly Fault[]];

/** With every run of the tests. */
export const usual = (part: Part): readonly Row[] =>
  PARTS[part]
    .filter((one: Scenario) => !one.name.includes('after days'))
    .map((one): Row => [
      one,
      [
        ...(LONG.has(one) ? [] : (['ends'] as const)),
        ...(LOST.has(one) ? (['lost'] as const) : []),
        ...(RESENT.has(one) ? (['late', 'twice'] as const) : []),
      ],
    ]);

const THREE: Readonly<Record<Part, readonly Scenario[]>> = {
  tokens: [REDEEM_THRICE, REFRESH_THRICE],
  approvals: [DEVICE_THREE],
  connections: [],
  clients: [],
};

/** `npm run interleavings`: every fault, and three requests. */
export const all = (part: Part): readonly Row[] => [
  ...PARTS[part].flatMap((one): readonly Row[] => [
    [
      one,
      LONG.has(one)
        ? ['ends']
        : ['ends', 'lost', 'late', 'twice', 'hangs up', 'forgets', '11 s', '61 s', 'an hour', '200 days'],
    ],
    [one, ['ahead']],
    [one, ['behind']],
    [one, ['an hour ahead']],
    [one, ['torn']],
  ]),
  ...THREE[part].map((one): Row => [one, []]),
];

export const titleOf = ([{ name }, faults]: Row): string =>
  faults.length === 0 ? name : `${name}; one fault: ${faults.join(', ')}`;
