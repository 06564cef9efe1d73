import { Pool } from 'pg';
import { rowsOfPostgres } from '../../examples/clients/table.js';
import { describeEngine } from '../stores/engines/availability.js';
import { noPostgres, startPostgres } from '../stores/engines/postgres.js';
import { clientsTableCases } from './clients-table-cases.js';

describeEngine('examples/clients/table.ts on PostgreSQL', noPostgres, () => {
  clientsTableCases(async () => {
    const { url, remove } = await startPostgres();
    const db = new Pool({ connectionString: url });
    return { rows: rowsOfPostgres(db), run: (sql) => db.query(sql), close: () => db.end().then(remove) };
  });
});
