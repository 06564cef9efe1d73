/** Stores on a TypeORM data source; on PostgreSQL with a query runner, because `query` returns updates in another form. */
import { mysqlStore } from 'oauth-query/stores/mysql';
import { postgresStore } from 'oauth-query/stores/postgres';
import type { DataSource } from 'typeorm';

export const onPostgres = (db: DataSource) =>
  postgresStore({
    async query(text, values) {
      const runner = db.createQueryRunner();
      try {
        const { records } = await runner.query(text, values, true);
        return { rows: records ?? [] };
      } finally {
        await runner.release();
      }
    },
  });

export const onMysql = (db: DataSource) => mysqlStore({ query: (text, values) => db.query(text, values) });
