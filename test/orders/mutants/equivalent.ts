const UNHEARD = 'Nobody waits for it, nothing follows it, and nobody reads its result.';
const UNIQUE = 'Its key has a random id, so that only a broken store refuses it.';

/** Mutants that change nothing: a pattern of their titles in the table, and the proof. */
const EQUIVALENT: readonly (readonly [RegExp, string])[] = [
  [
    /forgetConsents records\.delete \| /,
    'Redundant: a remembered approval names the generation of its connection, which has ended. It names no owner, and expires.',
  ],
  [/codes\.ts save chains\.add \| result ignored/, UNIQUE],
  [
    /connections\.ts end records\.swap \| result ignored/,
    'Redundant: the list of connections is read again until no connection in it is left to be ended.',
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
