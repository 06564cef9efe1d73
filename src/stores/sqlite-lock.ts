import { setTimeout as sleep } from 'node:timers/promises';
import type { SqliteDatabase } from './sqlite-file.js';

/**
 * The result of `ask`, as soon as the database is not locked. Between two attempts the event loop continues.
 *
 * @param timeout - Milliseconds after which the driver's own error is thrown.
 */
export async function whenUnlocked<T>(timeout: number, ask: () => T): Promise<T> {
  let deadline: number | undefined;
  for (;;) {
    try {
      return ask();
    } catch (error) {
      deadline ??= performance.now() + timeout;
      if (!isLocked(error) || performance.now() >= deadline) throw error;
    }
    // Not in step with other waiting processes.
    await sleep(2 + Math.random() * 10);
  }
}

/** The drivers report different codes but the same text. */
const isLocked = (error: unknown): boolean =>
  error instanceof Error && /database (table |schema )?is (locked|busy)/i.test(error.message);

/**
 * Executes everything or nothing. The lock is taken before any statement: once a statement of libsql has met a lock, libsql reports
 * it as executed but discards it.
 */
export function inTransaction<T>(database: SqliteDatabase, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
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
