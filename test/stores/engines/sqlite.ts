import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import type { SqliteDatabase } from 'oauth-query/stores/sqlite';
import { bundleOf } from '../../bundle.js';

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

/** Another process that holds the write lock of the file. */
export async function startHolder(file: string): Promise<{ release(): Promise<void> }> {
  const child = spawn(process.execPath, [await bundleOf('test/stores/engines/sqlite-holder.ts'), file], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const died = once(child, 'exit').then(([code]) => {
    throw new Error(`the process that should hold the lock ended with ${String(code)}`);
  });
  await Promise.race([once(child.stdout, 'data'), died]);
  return {
    async release() {
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}
