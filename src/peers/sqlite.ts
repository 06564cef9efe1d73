import { firstUsable, reasonsOf, REINSTALL } from '../core/base/missing-package.js';
import { requirePackage } from './load.js';

/** The class of a driver, with the part of it that the caller uses: node:sqlite, better-sqlite3 and libsql share most. */
type DriverClass<Database> = new (file: string) => Database;

interface Candidate<Database> {
  readonly name: string;
  readonly load: () => DriverClass<Database> | undefined;
}

/** Tried in this order. */
const DRIVERS = [
  {
    name: 'node:sqlite',
    // The installed types are those of the oldest supported Node version, which lacks this module.
    load: (): unknown =>
      (process.getBuiltinModule('node:sqlite') as { readonly DatabaseSync: unknown } | undefined)?.DatabaseSync,
  },
  { name: 'better-sqlite3', load: (): unknown => requirePackage('better-sqlite3') },
  { name: 'libsql', load: (): unknown => requirePackage('libsql') },
];

/** Why no driver can be used. */
interface NoSqlite {
  /** Sentences that name each driver that is installed and does not work; absent if none is installed. */
  readonly problem?: string;
  /** The error of the first of these. */
  readonly cause?: unknown;
}

/**
 * The first SQLite driver that works.
 *
 * @param use - What the caller needs, with a database in memory. A driver that was not built for this Node version only throws here.
 */
export const sqliteDriver = <Database extends { close(): unknown }>(
  use: (database: Database) => void,
): { readonly Driver: DriverClass<Database> } | NoSqlite => {
  // The compiler does not know the drivers; `use` tries the part that the caller needs.
  const found = firstUsable(DRIVERS as readonly Candidate<Database>[], (Driver) => {
    const database = new Driver(':memory:');
    use(database);
    database.close();
  });
  if ('loaded' in found) return { Driver: found.loaded };
  const [first] = found.broken;
  return first === undefined ? {} : { problem: `${reasonsOf(found.broken)} ${REINSTALL}`, cause: first.error };
};
