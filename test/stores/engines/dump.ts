import { readFileSync } from 'node:fs';
import type { Query } from 'oauth-query/stores/postgres';
import type { MemoryStore } from 'oauth-query/stores/memory';
import type { SqliteDatabase } from 'oauth-query/stores/sqlite';
import { createClient } from 'redis';

/**
 * Everything that an engine holds, as text: for tests that search it for what must not be there. One line per record,
 * key first.
 */
export function dumpMemory(store: MemoryStore): string {
  return [...store.entries()].map(([key, value]) => `${key} ${JSON.stringify(value)}`).join('\n');
}

export function dumpSql(database: SqliteDatabase): string {
  // One row with one text, because that is all that the structural type promises.
  const row = database
    .prepare("SELECT group_concat(key || ' ' || value || ' ' || expires_at, char(10)) AS text FROM oauth_records")
    .get();
  const text: unknown = Reflect.get(Object(row), 'text');
  return typeof text === 'string' ? text : '';
}

/** The bytes of a SQLite file and of its log, so what was deleted and not yet overwritten is in it, too. */
export function dumpSqliteFile(file: string): string {
  return [file, `${file}-wal`]
    .map((path) => {
      try {
        return readFileSync(path, 'latin1');
      } catch {
        return ''; // the log may not be there
      }
    })
    .join('\n');
}

/** All keys and strings of all these servers: one for a single Redis, every master for a cluster. */
export async function dumpRedis(...urls: string[]): Promise<string> {
  const lines: string[] = [];
  for (const url of urls) {
    const client = createClient({ url });
    await client.connect();
    for await (const keys of client.scanIterator({ COUNT: 1_000 })) {
      for (const key of keys) lines.push(`${key} ${await client.get(key)}`);
    }
    client.destroy();
  }
  return lines.join('\n');
}

export async function dumpPostgres(query: Query, table = 'oauth_records'): Promise<string> {
  const { rows } = await query(`SELECT key, value, expires_at FROM ${table} ORDER BY key`, [], `${table}_dump`);
  return rows.map((row) => Object.values(Object(row)).join(' ')).join('\n');
}
