import type { PostgresQuery } from '../postgres.js';
import { wrong } from './address.js';
import type { PoolSettings } from './connection.js';

/** The driver takes what follows a bare `@`, `#` or `/` of a password as the host. */
const FORM =
  /^postgres(?:ql)?:\/\/(?:[^/?#]*@)?(?:\[[^\]/?#@]*\]|[^/?#@:[\]]*)(?::\d{1,5})?(?:\/[^/?#@]*)?(?:\?[^#@=]+=[^#]*)?$/;

/** @throws TypeError that never quotes the URL, because it contains a password. */
export function checkPostgresUrl(url: string): void {
  if (!FORM.test(url))
    throw wrong(
      'the URL of PostgreSQL must look like postgres://user:password@host:5432/database; percent-encode special characters of a user name or a password, such as @ / ? #',
    );
}

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
