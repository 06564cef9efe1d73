import { UnavailableError } from '../../base/errors.js';
import type { Clock } from '../../base/ports.js';
import { type Records, UnreadableRecordError } from '../../base/records.js';
import type { RandomSource } from '../../base/secrets.js';
import type { Emit } from '../events/events.js';
import { keys, MARK, SIGNED_OUT, type SignedOutRecord } from '../records/stored-records.js';
import { CLOCK_DIFFERENCE } from '../records/window.js';
import type { Session } from './sessions.js';

/** In seconds: the maximum of `lifetimes.session`, now and at any earlier time. */
export const MAX_SESSION_LIFETIME = 30 * 86_400;

/** In seconds: more than the duration of a sign-in plus clock differences. */
const SLACK = 900;

/** How often a sign-out is tried while the record of the last one expires. */
const MAX_ATTEMPTS = 3;

/** Dependencies for signing out an owner. */
export interface OwnerSessionContext {
  readonly records: Records;
  readonly random: RandomSource;
  readonly clock: Clock;
  /** The name of this process. */
  readonly process: string;
}

/** A sign-in that is about to end, or an owner's connections to clients that are. */
export interface EndingSignIn {
  readonly sub: string;
  /** The only session that ends; absent if all end. */
  readonly session?: Session;
  /** The only client that is disconnected; absent for all. */
  readonly client_id?: string;
  /** A client that is not. */
  readonly except?: string;
}

/**
 * Called before a sign-in ends, and what it returns once it has ended. If it rejects, nothing has ended, and the call may be repeated.
 */
export type BeforeSignOut = (ending: EndingSignIn, emit: Emit | undefined) => Promise<() => void>;

/**
 * The `rev` of an owner's last sign-out, `null` if there is no record of one; and whether the owner may have been signed out after this sign-in began, so
 * that the verified password may be outdated.
 *
 * @param began - Milliseconds since the epoch: the time of the request with which the owner signs in.
 */
export const lastSignOutOf = async (
  sub: string,
  began: number,
  context: OwnerSessionContext,
): Promise<{ readonly lastSignOut: string | null; readonly isDoubtful: boolean }> => {
  const last = await context.records.get(keys.signedOut(sub), SIGNED_OUT).catch(explained);
  if (last === undefined) return { lastSignOut: null, isDoubtful: false };
  const slack = last.process === context.process ? 0 : CLOCK_DIFFERENCE * 1000;
  return { lastSignOut: last.rev, isDoubtful: (last.at_ms ?? Infinity) + slack >= began };
};

/** A session that begins now could not be told from those that have ended. */
const explained = (error: unknown): never => {
  if (!(error instanceof UnreadableRecordError)) throw error;
  throw new UnavailableError(
    'An owner cannot sign in, because the record of the last sign-out cannot be read. Call owners.signOut for this owner: it replaces the record.',
    { cause: error },
  );
};

/**
 * Ends all sessions of an owner that have begun, for every process. Of two simultaneous calls, one may lose to the
 * other: then all sessions that began before either of them have ended.
 */
export const endSessions = async (
  sub: string,
  { records, random, clock, process }: OwnerSessionContext,
): Promise<void> => {
  const key = keys.signedOut(sub);
  let before = await records.get(key, SIGNED_OUT).catch(async (error: unknown) => {
    if (!(error instanceof UnreadableRecordError)) throw error;
    // Or nobody could ever replace it, and the owner could not sign in until it expires.
    await records.delete(key);
    return undefined;
  });
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const at_ms = clock();
    // Until the last session has expired that began before.
    const exp = Math.ceil(at_ms / 1000) + MAX_SESSION_LIFETIME + SLACK;
    const record: SignedOutRecord = { ...before, rev: random.rev(), at_ms, process, exp };
    if (await (before === undefined ? records.add(key, record) : records.swap(key, before.rev, record))) return;
    const now = await records.get(key, SIGNED_OUT);
    if (now !== undefined && now.rev !== before?.rev) return;
    before = now;
  }
  throw new UnavailableError('The store refused the record that ends the sessions of an owner.');
};

/** Ends one session, for every process. @param exp - Its expiry, in seconds since the epoch. */
export const endSession = (sub: string, id: string, exp: number, records: Records): Promise<boolean> =>
  records.add(keys.endedSession(sub, id), { exp });

/** Whether a session was ended, alone or with all others of its owner: one read of the store. A sign-out that cannot be read has ended it. */
export const isEnded = async (sub: string, { id, lastSignOut = null }: Session, records: Records): Promise<boolean> => {
  try {
    const [ended, last] = await records.getEach([keys.endedSession(sub, id), MARK], [keys.signedOut(sub), SIGNED_OUT]);
    return ended !== undefined || (last !== undefined && last.rev !== lastSignOut);
  } catch (error) {
    if (error instanceof UnreadableRecordError) return true;
    throw error;
  }
};
