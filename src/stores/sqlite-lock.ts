import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { SqliteDatabase } from './sqlite-file.js';

interface Waiting {
  /** When it gives up, by `performance.now`. */
  readonly deadline: number;
  /** Does the work, and settles its promise. Throws only if the database is still locked. */
  attempt(): void;
  reject(error: unknown): void;
}

/** Attempts in consecutive turns of the event loop, before it waits longer: most locks are held for less than a millisecond. */
const EAGER = 5;

/**
 * Work on a database that other processes may have locked, in the order of the calls. However much waits, only the first is attempted, once
 * per turn of the event loop: with a loop for each, some timer is always due, and the process does not get to read its sockets.
 */
export class LockQueue {
  readonly #timeout: number;
  readonly #waiting: Waiting[] = [];

  /** @param timeout - Milliseconds after which work that is still waiting rejects with the driver's own error. */
  constructor(timeout: number) {
    this.#timeout = timeout;
  }

  /** The result of the work, as soon as the database is not locked. */
  async run<T>(work: () => T): Promise<T> {
    if (this.#waiting.length === 0) {
      try {
        return work();
      } catch (error) {
        if (!isLocked(error)) throw error;
      }
    }
    return new Promise((resolve, reject) => {
      const attempt = (): void => {
        try {
          resolve(work());
        } catch (error) {
          if (isLocked(error)) throw error;
          reject(error as Error); // whatever the driver has thrown
        }
      };
      this.#waiting.push({ deadline: performance.now() + this.#timeout, attempt, reject });
      if (this.#waiting.length === 1) void this.#retry();
    });
  }

  async #retry(): Promise<void> {
    for (let attempts = 1; this.#waiting.length > 0; attempts += 1) {
      // Not in step with other waiting processes.
      await (attempts > EAGER ? sleep(1 + Math.random() * 4) : nextTurn());
      try {
        this.#waiting[0]?.attempt();
        this.#waiting.shift();
        attempts = 0;
      } catch (error) {
        this.#giveUp(performance.now(), error);
      }
    }
  }

  #giveUp(now: number, error: unknown): void {
    while ((this.#waiting[0]?.deadline ?? Infinity) <= now) this.#waiting.shift()?.reject(error);
  }
}

/** The drivers report different codes but the same text. */
const isLocked = (error: unknown): boolean =>
  error instanceof Error && /database (table |schema )?is (locked|busy)/i.test(error.message);

/**
 * Executes everything or nothing. The lock is taken before any statement: once a statement of libsql has met a lock, libsql reports
 * it as executed but discards it.
 */
export const inTransaction = <T>(database: SqliteDatabase, work: () => T): T =>
  between(database, 'BEGIN IMMEDIATE', work);

/** All reads see the database as it is at the first one. */
export const inSnapshot = <T>(database: SqliteDatabase, work: () => T): T => between(database, 'BEGIN', work);

function between<T>(database: SqliteDatabase, begin: string, work: () => T): T {
  database.exec(begin);
  try {
    const answer = work();
    database.exec('COMMIT');
    return answer;
  } catch (error) {
    rollBack(database);
    throw error;
  }
}

/** A full disk may already have rolled back; the statement's own error says more. */
function rollBack(database: SqliteDatabase): void {
  try {
    database.exec('ROLLBACK');
  } catch {
    // The transaction has already ended.
  }
}
