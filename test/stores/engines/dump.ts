import { readFileSync } from 'node:fs';
import type { MemoryStore } from 'oauth-query/stores/memory';
import type { PostgresQuery } from 'oauth-query/stores/postgres';
import type { SqliteDatabase } from 'oauth-query/stores/sqlite';
import { createClient } from 'redis';
import { expect } from 'vitest';
import type { Store } from '../../../src/core/base/ports.js';

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

/** All keys, strings and members of sorted sets of all these servers: one for a single Redis, every master for a cluster. */
export async function dumpRedis(...urls: string[]): Promise<string> {
  const lines: string[] = [];
  for (const url of urls) {
    const client = createClient({ url });
    await client.connect();
    for await (const keys of client.scanIterator({ COUNT: 1_000 })) {
      for (const key of keys) {
        const isGroup = (await client.type(key)) === 'zset';
        lines.push(`${key} ${isGroup ? (await client.zRange(key, 0, -1)).join(' ') : await client.get(key)}`);
      }
    }
    client.destroy();
  }
  return lines.join('\n');
}

export async function dumpPostgres(query: PostgresQuery, table = 'oauth_records'): Promise<string> {
  const { rows } = await query(
    `SELECT key, value, expires_at FROM ${table} UNION ALL SELECT grp, key, expires_at FROM ${table}_groups ORDER BY 1`,
    [],
    `${table}_dump`,
  );
  return rows.map((row) => Object.values(Object(row)).join(' ')).join('\n');
}

export async function dumpMariadb(query: (text: string) => Promise<readonly unknown[]>): Promise<string> {
  const rows = await query(
    `SELECT CONVERT(\`key\` USING ascii), value, expires_at FROM oauth_records
     UNION ALL SELECT CONVERT(grp USING ascii), CONVERT(\`key\` USING ascii), expires_at FROM oauth_records_groups ORDER BY 1`,
  );
  return rows.map((row) => Object.values(Object(row)).join(' ')).join('\n');
}

/** What the dumps must show, because other tests conclude from what they do not show. */
export async function fill(store: Store): Promise<void> {
  for (let index = 0; index < 30; index += 1) {
    await store.add(`key-${index}-end`, { secret: `value-${index}-end` }, Date.now() + 60_000, [`group-${index}-end`]);
  }
}

/** The dump shows all of it. */
export function expectAll(dump: string): void {
  for (let index = 0; index < 30; index += 1) {
    expect(dump).toContain(`key-${index}-end`);
    expect(dump).toContain(`value-${index}-end`);
  }
}

/** It shows the groups, too. */
export function expectGroups(dump: string): void {
  for (let index = 0; index < 30; index += 1) expect(dump).toContain(`group-${index}-end`);
}
