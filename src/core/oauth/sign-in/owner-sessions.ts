import type { Clock } from '../../base/ports.js';
import type { Records } from '../../base/records.js';
import { ENDED_GENERATION, type EndedGenerationRecord, keys, MARK } from '../stored-records.js';
import { CLOCK_DIFFERENCE } from '../tokens/window.js';

/** In seconds: the maximum of `lifetimes.session`, now and at any earlier time. */
export const MAX_SESSION_LIFETIME = 30 * 86_400;

/** In milliseconds. As long as the longest session, so an owner's sessions began in this period or in the previous one. */
const PERIOD = MAX_SESSION_LIFETIME * 1000;

/** In milliseconds: more than the duration of a request plus clock differences. */
const SLACK = 900_000;

const periodOf = (time: number): number => Math.floor(time / PERIOD);

/** Dependencies for signing out an owner. */
export interface OwnerSessionContext {
  readonly records: Records;
  readonly clock: Clock;
  /** The name of this process. */
  readonly process: string;
}

/**
 * The generation of sessions that began between two calls of {@link endSessions}, in a period of 30 days. It is a number,
 * and has ended if there is a mark for it. Marks are added but never deleted, so an ended session cannot come back; all marks of a
 * period expire together, after its last session. So they have no gaps, and the first number without a mark is current.
 */
interface CurrentGeneration {
  readonly n: number;
  /** The last ended generation in the same period. */
  readonly before: EndedGenerationRecord | undefined;
}

const nameOf = (period: number, n: number): string => `${period}:${n}`;

/** Reads as many marks as needed to find a number by doubling and then bisecting: only one if there is no mark. */
const currentIn = async (sub: string, period: number, { records }: OwnerSessionContext): Promise<CurrentGeneration> => {
  const markOf = (n: number) => records.get(keys.endedGeneration(sub, nameOf(period, n)), ENDED_GENERATION);
  let before: EndedGenerationRecord | undefined;
  /** All lower numbers have ended. */
  let ended = 0;
  const hasEnded = async (n: number): Promise<boolean> => {
    const mark = await markOf(n);
    if (mark === undefined) return false;
    before = mark;
    ended = n + 1;
    return true;
  };
  let current = 0;
  while (await hasEnded(current)) current = 2 * current + 1;
  while (ended < current) {
    const middle = Math.floor((ended + current) / 2);
    if (!(await hasEnded(middle))) current = middle;
  }
  return { n: current, before };
};

/** The generation of a session that is about to begin. */
export interface Beginning {
  readonly generation: string;
  /** Whether the owner may have been signed out after the sign-in began, so that the verified password may be outdated. */
  readonly isDoubtful: boolean;
}

/** @param began - Milliseconds since the epoch: the time of the request with which an owner signs in. */
export const beginningOf = async (sub: string, began: number, context: OwnerSessionContext): Promise<Beginning> => {
  const period = periodOf(began);
  const { n, before } = await currentIn(sub, period, context);
  const slack = before?.process === context.process ? 0 : CLOCK_DIFFERENCE * 1000;
  return { generation: nameOf(period, n), isDoubtful: before !== undefined && before.at_ms + slack >= began };
};

/**
 * Ends all sessions of an owner that have begun, for every process. Of two simultaneous calls, one may find the mark of the
 * other: then all sessions that began before either of them have ended.
 */
export const endSessions = async (sub: string, context: OwnerSessionContext): Promise<void> => {
  const { records, clock, process } = context;
  const now = clock();
  const first = periodOf(now - PERIOD - SLACK);
  const periods = Array.from({ length: periodOf(now + SLACK) - first + 1 }, (_, at) => first + at);
  const current = await Promise.all(periods.map((period) => currentIn(sub, period, context)));
  const marks = periods.map((period, at) => {
    const exp = ((period + 2) * PERIOD + SLACK) / 1000;
    return records.add(keys.endedGeneration(sub, nameOf(period, current[at]?.n ?? 0)), { at_ms: now, process, exp });
  });
  await Promise.all(marks);
};

/** The parts of an owner's session that matter for ending it. */
export interface EndableSession {
  readonly id: string;
  readonly generation: string;
}

/** Ends one session, for every process. @param exp - Its expiry, in seconds since the epoch. */
export const endSession = (sub: string, id: string, exp: number, records: Records): Promise<boolean> =>
  records.add(keys.endedSession(sub, id), { exp });

/** Whether a session was ended, alone or with all others of its owner: one read of the store. */
export const isEnded = async (sub: string, { id, generation }: EndableSession, records: Records): Promise<boolean> => {
  const marks = await records.getMany([keys.endedSession(sub, id), keys.endedGeneration(sub, generation)], MARK);
  return marks.some((mark) => mark !== undefined);
};
