import { rowsOfSqlite } from '../../examples/clients/table.js';
import { describeEngine } from '../stores/engines/availability.js';
import { noSqlite, sqliteDrivers } from '../stores/engines/sqlite.js';
import { clientsTableCases } from './clients-table-cases.js';

describeEngine('examples/clients/table.ts on SQLite', noSqlite, () => {
  clientsTableCases(async () => {
    const [[, open] = []] = sqliteDrivers;
    const db = open?.(':memory:');
    if (db === undefined) throw new Error(noSqlite);
    return { rows: rowsOfSqlite(db), run: (sql) => db.exec(sql), close: () => db.close() };
  });
});
