import { describeEngine } from '../stores/engines/availability.js';
import { noSqlite, sqliteDrivers } from '../stores/engines/sqlite.js';
import { clientsTableCases } from './clients-table-cases.js';

describeEngine('docs/clients.md on SQLite', noSqlite, () => {
  clientsTableCases('rowsOfSqlite', async () => {
    const [[, open] = []] = sqliteDrivers;
    const db = open?.(':memory:');
    if (db === undefined) throw new Error(noSqlite);
    return { db, run: (sql) => db.exec(sql), close: () => db.close() };
  });
});
