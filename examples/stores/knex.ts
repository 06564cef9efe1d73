/** Stores on a Knex: with the connection of the driver, because `raw` has different placeholders. */
import type { Knex } from 'knex';
import type { Connection } from 'mysql2';
import { mysqlStore } from 'oauth-query/stores/mysql';
import { postgresStore } from 'oauth-query/stores/postgres';
import type { Client } from 'pg';

async function withConnection<Driver, T>(knex: Knex, use: (connection: Driver) => Promise<T>): Promise<T> {
  const connection = await knex.client.acquireConnection();
  try {
    return await use(connection);
  } finally {
    knex.client.releaseConnection(connection);
  }
}

export const onPostgres = (knex: Knex) =>
  postgresStore({ query: (text, values) => withConnection(knex, (pg: Client) => pg.query(text, values)) });

export const onMysql = (knex: Knex) =>
  mysqlStore({
    query: (text, values) =>
      withConnection(knex, async (mysql2: Connection) => (await mysql2.promise().execute(text, values))[0]),
  });
