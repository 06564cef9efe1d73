import type { PostgresQuery } from '../postgres.js';
import type { PoolSettings } from './connection.js';

/**
 * A pg pool without session parameters, so that PgBouncer accepts it. This process times out unanswered queries,
 * and closes their connection.
 */
export function connectPg(
  pg: Pick<typeof import('pg'), 'Pool'>,
  { url, timeout, connections, onError }: PoolSettings & { readonly url: string },
): { query: PostgresQuery; close(): Promise<void> } {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: timeout,
    query_timeout: timeout,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  });
  pool.on('error', (error: Error & { client?: unknown }) => {
    // The driver adds its client, which would put the key that cancels its queries into logs.
    delete error.client;
    onError(error);
  });
  return { query: (text, values) => pool.query(text, values), close: () => pool.end() };
}
