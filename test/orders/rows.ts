import type { Scenario } from './explore.js';
import {
  CODES,
  DEVICE_THREE,
  DEVICES,
  FORGOTTEN,
  FORMS,
  PACE,
  PACE_AGAIN,
  PERSONAL,
  PUSHED,
  REMEMBERED,
  USED,
} from './scenarios/approvals.js';
import { ASSERTION, GUESSES, PROOFS, RIGHT, ROTATED, STRANGERS } from './scenarios/clients.js';
import {
  REDEEM_AND_DENY,
  REDEEM_AND_END,
  REDEEM_SHORT,
  REDEEM_THRICE,
  REDEEM_TWICE,
  VERIFIERS,
} from './scenarios/codes.js';
import { BACK_AGAIN, EXTENDED, EXTENDED_ALONE, SIGN_IN_AND_END, TWO_SIGN_INS } from './scenarios/connections.js';
import { DERIVED, STATEMENTS } from './scenarios/derived.js';
import { SESSIONS } from './scenarios/sessions.js';
import {
  ACCESS_REVOKED,
  GONE,
  GRANT_REVOKED,
  JWT_REVOKED,
  OLD_AND_NEW,
  REFRESH_AND_END,
  REFRESH_AND_ERASE,
  REFRESH_AND_REVOKE,
  REFRESH_ONCE,
  REFRESH_THRICE,
  REFRESH_TWICE,
  REUSED,
  SENT_AND_END,
  THIEF,
  UNREADABLE,
} from './scenarios/tokens.js';
import type { Fault } from './steps.js';

/** The scenarios by subject, each subject a part of its own: parts run at the same time. */
export const PARTS = {
  tokens: [
    REDEEM_TWICE,
    REDEEM_SHORT,
    ...REDEEM_AND_END,
    REDEEM_AND_DENY,
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
    JWT_REVOKED,
    REUSED,
    UNREADABLE,
    ...VERIFIERS,
  ],
  approvals: [...FORMS, REMEMBERED, ...FORGOTTEN, ...DEVICES, ...CODES, PACE, PACE_AGAIN, ...PERSONAL, USED, PUSHED],
  connections: [EXTENDED_ALONE, ...EXTENDED, BACK_AGAIN, SIGN_IN_AND_END, TWO_SIGN_INS],
  clients: [ROTATED, RIGHT, GUESSES, ASSERTION, ...PROOFS, ...STRANGERS, ...SESSIONS, ...STATEMENTS, ...DERIVED],
} as const satisfies Readonly<Record<string, readonly Scenario[]>>;

export type Part = keyof typeof PARTS;

/** Where a lost reply is tried with every run of the tests. */
const LOST: ReadonlySet<Scenario> = new Set([
  REDEEM_TWICE,
  REFRESH_ONCE,
  REFRESH_TWICE,
  REFRESH_AND_REVOKE,
  REFRESH_AND_ERASE,
  EXTENDED_ALONE,
  ...EXTENDED.filter(({ name }) => name.includes('hours, and grants.revoke of both')),
]);

/** Where a command that comes late, and one that is sent twice, is tried with every run of the tests: each once brought back what had ended. */
const RESENT: ReadonlySet<Scenario> = new Set([ACCESS_REVOKED, GRANT_REVOKED, BACK_AGAIN]);

/** The commands are those of the same scenario after hours, where each fault is tried. */
const LATER = EXTENDED.filter(({ name }) => !name.includes('after hours'));

/** A row is a scenario, with at most one of these faults in each of its orders. */
export type Row = readonly [scenario: Scenario, faults: readonly Fault[]];

/** With every run of the tests. */
export const usual = (part: Part): readonly Row[] =>
  PARTS[part].map((one: Scenario): Row => [
    one,
    [
      ...(LATER.includes(one) ? [] : (['ends'] as const)),
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

const WRONG: readonly Fault[] = ['ends', 'lost', 'late', 'twice', 'hangs up', 'forgets'];
const TIME: readonly Fault[] = ['11 s', '61 s', 'an hour', '200 days'];

/** What `npm run interleavings` does not try, and why. It prints them. */
const CUT: readonly (readonly [scenarios: readonly Scenario[], tried: readonly (readonly Fault[])[], why: string])[] = [
  [LATER, [['ends']], 'the commands are those after hours, where each fault is tried'],
  [
    PERSONAL.slice(1, 2),
    // One row would have too many runs.
    [WRONG.slice(0, 4), WRONG.slice(4)],
    'time is tried with "a personal token is created twice with one form" and "personal tokens of different lifetimes"',
  ],
];

const cutOf = (one: Scenario): (typeof CUT)[number] | undefined => CUT.find(([scenarios]) => scenarios.includes(one));

/** Why a row has fewer faults than the others. */
export const whyCut = ([one, faults]: Row): string | undefined => {
  const cut = cutOf(one);
  return cut?.[1].includes(faults) === true ? cut[2] : undefined;
};

const BEGINNING: readonly Fault[] = ['ahead', 'behind', 'an hour ahead', 'torn', 'drains', 'no rev'];

/** `npm run interleavings`: every fault, and three requests. */
export const all = (part: Part): readonly Row[] => [
  ...PARTS[part].flatMap((one): readonly Row[] => [
    ...(cutOf(one) === undefined
      ? ([
          [one, WRONG],
          [one, TIME],
        ] as const)
      : (cutOf(one)?.[1] ?? []).map((tried): Row => [one, tried])),
    ...BEGINNING.map((fault): Row => [one, [fault]]),
  ]),
  ...THREE[part].map((one): Row => [one, []]),
];

export const titleOf = ([{ name }, faults]: Row): string =>
  faults.length === 0 ? name : `${name}; one fault: ${faults.join(', ')}`;
