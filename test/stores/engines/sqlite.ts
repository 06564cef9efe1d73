import { createRequire } from 'node:module';
import type { SqliteDatabase } from 'oauth-query/stores/sqlite';

type DatabaseClass = new (file: string) => SqliteDatabase;

const require = createRequire(import.meta.url);
const LOADERS: Record<string, () => unknown> = {
  'node:sqlite': () => Reflect.get(process.getBuiltinModule('node:sqlite') ?? {}, 'DatabaseSync'),
  'better-sqlite3': () => require('better-sqlite3'),
  libsql: () => require('libsql'),
};

/** Every driver that this Node can load, by name. */
export const sqliteDrivers: readonly (readonly [name: string, open: (file: string) => SqliteDatabase])[] =
  Object.entries(LOADERS).flatMap(([name, load]) => {
    try {
      const Database = load() as DatabaseClass; // what each driver documents
      new Database(':memory:').close();
      return [[name, (file: string) => new Database(file)] as const];
    } catch {
      return [];
    }
  });

export const noSqlite = sqliteDrivers.length === 0 ? 'this Node has no SQLite driver' : undefined;
