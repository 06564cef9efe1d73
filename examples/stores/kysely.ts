/** Stores on a Kysely. */
import { CompiledQuery, type Kysely } from 'kysely';
import { mysqlStore } from 'oauth-query/stores/mysql';
import { postgresStore } from 'oauth-query/stores/postgres';

export const onPostgres = <Tables>(db: Kysely<Tables>) =>
  postgresStore({ query: (text, values) => db.executeQuery(CompiledQuery.raw(text, values)) });

export const onMysql = <Tables>(db: Kysely<Tables>) =>
  mysqlStore({
    async query(text, values) {
      const { rows, numAffectedRows } = await db.executeQuery(CompiledQuery.raw(text, values));
      return numAffectedRows === undefined ? rows : { affectedRows: numAffectedRows };
    },
  });
