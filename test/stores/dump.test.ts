import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { memoryStore } from 'oauth-query/stores/memory';
import { sqliteStore } from 'oauth-query/stores/sqlite';
import { test } from 'vitest';
import { describeEngine } from './engines/availability.js';
import { temporaryDirectory } from './engines/daemon.js';
import { dumpMemory, dumpSql, dumpSqliteFile, expectAll, expectGroups, fill } from './engines/dump.js';
import { noSqlite, sqliteDrivers } from './engines/sqlite.js';

test('the dump of a memory store shows every record', async () => {
  const store = memoryStore();
  await fill(store);
  expectAll(dumpMemory(store));
});

describeEngine('dumps of SQLite', noSqlite, () => {
  test('rows, and the bytes of the file while it is open', async () => {
    const directory = temporaryDirectory();
    const file = join(directory, 'records.db');
    const store = sqliteStore({ file });
    await fill(store);
    const database = sqliteDrivers[0]?.[1](file);
    expectAll(database ? dumpSql(database) : '');
    expectGroups(database ? dumpSql(database) : '');
    expectAll(dumpSqliteFile(file));
    database?.close();
    await store.close();
    rmSync(directory, { recursive: true });
  });
});
