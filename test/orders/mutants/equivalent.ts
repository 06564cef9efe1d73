const UNHEARD = 'Nobody waits for it, nothing follows it, and nobody reads its result.';
const UNIQUE = 'Its key has a random id, so that only a broken store refuses it.';

/** Mutants that change nothing: a pattern of their titles in the table, and the proof. */
const EQUIVALENT: readonly (readonly [RegExp, string])[] = [
  [
    /forgetConsents records\.delete \| (?:left out|not awaited|after the next)$/,
    'Redundant: a remembered approval names the generation of its connection, which has ended. It names no owner, and expires.',
  ],
  [
    /owner-sessions\.ts endSessions records\.delete \| after the next/,
    'Redundant: the add that follows fails while the record is there, and is repeated.',
  ],
  [
    /owner-sessions\.ts endSessions records\.swap \| result ignored/,
    'Redundant: of two sign-outs at the same moment, the session of the one that lost would go on with a rev that no record has, and is refused.',
  ],
  [
    /owner-sessions\.ts endSession records\.add \| result ignored/,
    'Nobody reads its result: the mark is there either way.',
  ],
  [
    /devices\.ts release records\.swap \| result ignored/,
    'Nobody reads its result: the device has changed, so it is released or decided.',
  ],
  [
    /device-code\.ts refusePoll records\.(?:add|swap) \| (?:not awaited|after the next|result ignored)/,
    'It changes at most which words one of two simultaneous polls is refused with: at another process both are in time anyway.',
  ],
  [
    /devices\.ts release records\.swap \| after the next/,
    'The response waits for both. If the process ends in between, the device stays with the owner who entered its code until the code expires.',
  ],
  [
    /tokens\.ts #end records\.delete 2 \| (?:left out|not awaited|after the next)$/,
    'Redundant: the grant has ended, so its chain gives nothing. It names no owner, and expires.',
  ],
  [
    /tokens\.ts discard records\.delete \| (?:left out|not awaited|after the next)$/,
    'Redundant: nobody was given this token. Its record names no owner, and expires.',
  ],
  [
    /tokens\.ts saveAgain records\.add \| result ignored/,
    'If the key is taken, then by this token or by its end: only a broken store refuses it and has neither.',
  ],
  [/tokens\.ts revokeToken records\.add \| result ignored/, 'Nobody reads its result: the mark is there either way.'],
  [
    /connections\.ts keep records\.swap \| after the next/,
    'The response waits for both. Until then the grant is not valid or was covered before; whoever ends it in between finds it by its own groups.',
  ],
  [
    /tokens\.ts disconnect connections\.end \| expiry halved/,
    'Redundant: without a record the grants of a connection are as invalid as with one that has ended, and the next connection has another generation.',
  ],
  [/codes\.ts save chains\.add \| result ignored/, UNIQUE],
  [
    /connections\.ts end records\.swap \| (?:not awaited|after the next|result ignored)/,
    'Redundant: the list of connections is read again until no connection in it is left to be ended.',
  ],
  [
    /tokens\.ts (?:disconnect connections\.end|deleteGrant records\.delete) \| (?:not awaited|after the next)/,
    'Redundant: the list of grants is read again until none is left, and with each its connection. 20,000 orders break no promise.',
  ],
  [
    /connections\.ts keep records\.swap \| result ignored/,
    'Another request has extended it, twice as long as it needs, or ended it: then nothing of its generation lives, as if this request had come first.',
  ],
  [/refresh-tokens\.ts (?:#answer|noteUse) chains\.swap \| (?:not awaited|after the next|result ignored)/, UNHEARD],
  [/token-uses\.ts #write records\.\w+ \| (?:not awaited|after the next|result ignored)/, UNHEARD],
];

/** Why a mutant changes nothing. */
export const proofOf = (title: string): string | undefined => EQUIVALENT.find(([pattern]) => pattern.test(title))?.[1];
