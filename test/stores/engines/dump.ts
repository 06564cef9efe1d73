import type { MemoryStore } from 'oauth-query/stores/memory';
import type { SqliteDatabase } from 'oauth-query/stores/sqlite';

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
    .prepare(
      `SELECT group_concat(line, char(10)) AS text FROM (
         SELECT key || ' ' || value || ' ' || expires_at AS line FROM oauth_records
         UNION ALL SELECT grp || ' ' || key || ' ' || expires_at FROM oauth_records_groups
       )`,
    )
    .get();
  const text: unknown = Reflect.get(Object(row), 'text');
  return typeof text === 'string' ? text : '';
}
