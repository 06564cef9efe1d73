import { Pool } from 'pg';
import { describeEngine } from '../stores/engines/availability.js';
import { noPostgres, startPostgres } from '../stores/engines/postgres.js';
import { clientsTableCases } from './clients-table-cases.js';

describeEngine('docs/clients-in-your-table.md on PostgreSQL', noPostgres, () => {
  clientsTableCases('PostgreSQL', async () => {
    const { url, remove } = await startPostgres();
    const db = new Pool({ connectionString: url });
    return { db, run: (sql) => db.query(sql), close: () => db.end().then(remove) };
  });
});
