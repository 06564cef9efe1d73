import { Pool } from 'pg';
import { describeEngine } from '../stores/engines/availability.js';
import { noPostgres, startPostgres } from '../stores/engines/postgres.js';
import { clientsTableCases } from './clients-table-cases.js';

describeEngine('docs/clients.md on PostgreSQL', noPostgres, () => {
  clientsTableCases('rowsOfPostgres', async () => {
    const { url, remove } = await startPostgres();
    const db = new Pool({ connectionString: url });
    return { db, run: (sql) => db.query(sql), close: () => db.end().then(remove) };
  });
});
