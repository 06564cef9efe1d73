import { UnavailableError } from '../../base/errors.js';
import type { Clock } from '../../base/ports.js';
import { type ExpiringRecord, type Records, UnreadableRecordError } from '../../base/records.js';
import type { RandomSource } from '../../base/secrets.js';
import type { OwnerSession } from '../../feature/parts.js';
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

/** A sign-out from all sessions. */
interface SignOut {
  readonly rev: string;
  /** The one before; `null` without one, `undefined` if it could not be read. */
  readonly after: string | null | undefined;
}

/**
 * Ends all sessions of an owner that have begun, for every process. Of two simultaneous calls, one may lose to the
 * other: then all sessions that began before either of them have ended.
 *
 * @returns `undefined` if this call has lost.
 */
export const endSessions = async (
  sub: string,
  { records, random, clock, process }: OwnerSessionContext,
): Promise<SignOut | undefined> => {
  const key = keys.signedOut(sub);
  let isReadable = true;
  let before = await records.get(key, SIGNED_OUT).catch(async (error: unknown) => {
    if (!(error instanceof UnreadableRecordError)) throw error;
    isReadable = false;
    // Or nobody could ever replace it, and the owner could not sign in until it expires.
    await records.delete(key);
    return undefined;
  });
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const at_ms = clock();
    // Until the last session has expired that began before.
    const exp = Math.ceil(at_ms / 1000) + MAX_SESSION_LIFETIME + SLACK;
    const record: SignedOutRecord = { ...before, rev: random.rev(), at_ms, process, exp };
    const done: SignOut = { rev: record.rev, after: isReadable ? (before?.rev ?? null) : undefined };
    if (await (before === undefined ? records.add(key, record) : records.swap(key, before.rev, record))) return done;
    const now = await records.get(key, SIGNED_OUT);
    // A command that was carried out twice has said so the second time.
    if (now?.rev === record.rev) return done;
    if (now !== undefined && now.rev !== before?.rev) return undefined;
    before = now;
  }
  throw new UnavailableError('The store refused the record that ends the sessions of an owner.');
};

/** Ends one session, for every process. @param exp - Its expiry, in seconds since the epoch. */
export const endSession = (sub: string, id: string, exp: number, records: Records): Promise<boolean> =>
  records.add(keys.endedSession(sub, id), { exp });

/** Those of an owner's sessions that were not ended, alone or with all others: one read of the store. */
export const liveSessions = async <Known extends Pick<OwnerSession, 'id' | 'sub' | 'lastSignOut'>>(
  sessions: readonly Known[],
  records: Records,
): Promise<readonly Known[]> => {
  const [first] = sessions;
  if (first === undefined) return [];
  try {
    const [last, ...ended] = await records.getEach<[SignedOutRecord, ...ExpiringRecord[]]>(
      [keys.signedOut(first.sub), SIGNED_OUT],
      ...sessions.map(({ sub, id }) => [keys.endedSession(sub, id), MARK] as const),
    );
    return sessions.filter(
      ({ lastSignOut }, at) => ended[at] === undefined && (last === undefined || last.rev === lastSignOut),
    );
  } catch (error) {
    if (!(error instanceof UnreadableRecordError)) throw error;
    // A sign-out that cannot be read has ended its session.
    if (sessions.length === 1) return [];
    return (await Promise.all(sessions.map((one) => liveSessions([one], records)))).flat();
  }
};

/** Whether a session was ended, alone or with all others of its owner. */
export const isEnded = async (sub: string, { id, lastSignOut = null }: Session, records: Records): Promise<boolean> =>
  (await liveSessions([{ id, sub, lastSignOut }], records)).length === 0;
