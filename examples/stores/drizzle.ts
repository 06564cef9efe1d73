/** Stores on the pool of a Drizzle, `$client`. */
import type { MySql2Database } from 'drizzle-orm/mysql2';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Pool as Mysql2Pool } from 'mysql2/promise';
import { mysqlStore } from 'oauth-query/stores/mysql';
import { postgresStore } from 'oauth-query/stores/postgres';
import type { Pool } from 'pg';

export const onPostgres = (db: NodePgDatabase & { $client: Pool }) =>
  postgresStore({ query: (text, values) => db.$client.query(text, values) });

export const onMysql = (db: MySql2Database & { $client: Mysql2Pool }) =>
  mysqlStore({ query: async (text, values) => (await db.$client.execute(text, values))[0] });
