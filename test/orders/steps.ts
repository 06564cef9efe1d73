import type { Store } from 'oauth-query/store';

/** A store that can do all. */
export type Full = Required<Store>;

const SECOND = 1000;
const HOUR = 3_600_000;

/** What may happen to a command, next to being carried out; to a process; and to all. */
export const OF_COMMANDS = ['lost', 'late', 'twice'] as const;
export const OF_PROCESSES = ['ends', 'hangs up', 'forgets'] as const;
export const TIMES = { '11 s': 11 * SECOND, '61 s': 61 * SECOND, 'an hour': HOUR, '200 days': 4800 * HOUR } as const;
/** How the clock of the first process differs, from the beginning. */
export const CLOCKS = { ahead: 29 * SECOND, behind: -29 * SECOND, 'an hour ahead': HOUR } as const;

/** Time that passes. */
export const PASSING = ['11 s', '61 s', 'an hour', '200 days'] as const;

/**
 * - `torn`: each key of a `getMany` is read by a step of its own;
 * - `drains`: each process ends when it has sent its response, so that nothing follows it;
 * - `no rev`: what was stored before the requests has none, as from an older version.
 */
export const FROM_THE_BEGINNING: readonly string[] = [...Object.keys(CLOCKS), 'torn', 'drains', 'no rev'];

export type Fault =
  | (typeof OF_COMMANDS)[number]
  | (typeof OF_PROCESSES)[number]
  | keyof typeof TIMES
  | keyof typeof CLOCKS
  | 'torn'
  | 'drains'
  | 'no rev';

export type Method = keyof Full | 'ask' | 'change';

/** A step of a schedule. */
export interface Step {
  /** As schedules are written: `A.swap-chain.1f3`, with a fault `….lost`; `A:ends`; `…:again` for a command that is late or sent twice; `time:11-s`. */
  readonly id: string;
  /** As a person reads it. */
  readonly text: string;
  readonly actor: string;
  readonly isFault: boolean;
  /** Undefined: whatever it touches. */
  readonly reads: readonly string[] | undefined;
  readonly writes: readonly string[];
  /** Groups that it adds to: only who lists them sees a difference. */
  readonly joins?: readonly string[];
  readonly take: () => Promise<void>;
}

/**
 * Whether two steps lead to the same state in either order. So do commands of one process that wait at the same moment: what goes on then waits for
 * all of them, or for one that the other does not change.
 */
export const commute = (one: Step, other: Step): boolean => {
  const touches = ({ writes, joins = [] }: Step, { reads, writes: others }: Step): boolean =>
    writes.some((key) => reads?.includes(key) === true || others.includes(key)) ||
    joins.some((group) => reads?.includes(group) === true);
  const isAll = one.reads === undefined || other.reads === undefined;
  const isOfOne = one.actor === other.actor && (one.isFault || other.isFault);
  return !isAll && !isOfOne && !touches(one, other) && !touches(other, one);
};
