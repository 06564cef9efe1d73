/** Holds the write lock of a SQLite file until its input ends. */
import { sqliteDrivers } from './sqlite.js';

const database = sqliteDrivers[0]?.[1](process.argv[2] ?? '');
database?.exec('PRAGMA busy_timeout = 20000');
database?.exec('BEGIN IMMEDIATE');
process.stdout.write('locked\n');
process.stdin.resume().on('end', () => {
  database?.exec('ROLLBACK');
  database?.close();
  process.exit();
});
