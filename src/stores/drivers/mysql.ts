import { field } from '../field.js';
import type { MysqlQuery } from '../mysql.js';
import { StoreError } from '../store-error.js';
import { within } from '../within.js';
import type { HostPort } from './address.js';
import type { PoolSettings } from './connection.js';
import type { MysqlAddress } from './mysql-address.js';

type Settings = PoolSettings & { readonly address: MysqlAddress };

/** What both drivers have in common. */
interface Pool {
  getConnection(): Promise<PooledConnection>;
  end(): Promise<void>;
}
interface PooledConnection {
  /** The same object for as long as the connection is open. */
  readonly session: object;
  /** Sends a statement as text. */
  query(text: string): Promise<unknown>;
  /** Sends a statement and its values separately. */
  execute(text: string, values: (string | number)[]): Promise<unknown>;
  release(): void;
  /** Closes it without waiting for the server, and removes it from the pool. */
  destroy(): void;
}

interface Connected {
  readonly query: MysqlQuery;
  close(): Promise<void>;
}

/** In a Galera cluster, a node then applies what other nodes have confirmed before it answers. Other servers do not know the setting. */
const SYNC = 'SET SESSION wsrep_sync_wait = 7';

/** Pools of mysql2, one for each host. */
export function connectMysql2(
  mysql: Pick<typeof import('mysql2/promise'), 'createPool'>,
  settings: Settings,
): Connected {
  const { timeout, connections } = settings;
  return overHosts(settings, (host, credentials) => {
    const pool = mysql.createPool({
      ...host,
      ...credentials,
      connectionLimit: connections,
      connectTimeout: timeout,
      enableKeepAlive: true,
      keepAliveInitialDelay: 10_000,
    });
    return {
      getConnection: async () => {
        const connection = await pool.getConnection();
        return {
          session: connection.connection,
          execute: async (text, values) => (await connection.execute(text, values))[0],
          query: (text) => connection.query(text),
          release: () => connection.release(),
          destroy: () => connection.destroy(),
        };
      },
      // A connection may break while it is ended.
      end: () => pool.end().catch(() => undefined),
    };
  });
}

/** Pools of mariadb, one for each host. */
export function connectMariadb(mariadb: Pick<typeof import('mariadb'), 'createPool'>, settings: Settings): Connected {
  const { timeout, connections, onError } = settings;
  return overHosts(settings, (host, credentials) => {
    const pool = mariadb.createPool({
      ...host,
      ...credentials,
      connectionLimit: connections,
      minimumIdle: 1,
      connectTimeout: timeout,
      acquireTimeout: timeout,
      keepAliveDelay: 10_000,
      // A connection that is returned is not in a transaction, and keeps its session.
      noControlAfterUse: true,
    });
    // The declarations of the driver lack this event; without a listener it would end the process.
    (pool as unknown as { on(event: 'error', listener: (error: unknown) => void): void }).on('error', onError);
    return {
      getConnection: async () => {
        // Its own error only says that there is no connection; the reason is the cause.
        const connection = await pool.getConnection().catch((error: unknown) => {
          throw error instanceof Error && error.cause !== undefined ? error.cause : error;
        });
        return {
          session: connection.info ?? connection,
          execute: (text, values) => connection.execute(text, values),
          query: (text) => connection.query(text),
          // It may fail if the connection has broken meanwhile, which the next call finds out.
          release: () => void connection.release().catch(() => undefined),
          destroy: () => connection.destroy(),
        };
      },
      // A connection may break while it is ended.
      end: () => pool.end().catch(() => undefined),
    };
  });
}

type Credentials = Readonly<{
  user: string;
  password: string;
  database: string;
  ssl?: { rejectUnauthorized: true; verifyIdentity: true };
}>;

/**
 * Sends statements to one host, and to the next one after a failure which shows that this one is unreachable or cannot write. The statement that failed is not sent
 * again: its caller knows what to do about an unknown result.
 */
function overHosts(
  { address, timeout }: Settings,
  createPool: (host: HostPort, credentials: Credentials) => Pool,
): Connected {
  const { hosts, username: user, password, database, tls } = address;
  const credentials: Credentials = {
    user,
    password,
    database,
    ...(tls && { ssl: { rejectUnauthorized: true, verifyIdentity: true } }),
  };
  const pools = hosts.map((host) => createPool(host, credentials));
  let current = 0;
  return {
    async query(text, values) {
      const at = current;
      const [pool] = pools.slice(at);
      if (pool === undefined) throw new Error('no host');
      try {
        return await execute(pool, timeout, text, values);
      } catch (error) {
        if (at === current && isTroubleOfHost(error)) current = (at + 1) % pools.length;
        throw error;
      }
    },
    close: async () => void (await Promise.all(pools.map((pool) => pool.end()))),
  };
}

/** Connections that have the setting. */
const prepared = new WeakSet<object>();

/** A connection that does not answer in time is closed, because it may never answer. */
async function execute(pool: Pool, timeout: number, text: string, values: (string | number)[]): Promise<unknown> {
  const end = performance.now() + timeout;
  const connection = await pool.getConnection();
  if (performance.now() > end) {
    connection.release();
    throw new StoreError('STORE_TIMEOUT', `MySQL: no connection became free within ${timeout} ms`);
  }
  try {
    return await within(timeout, 'MySQL', async () => {
      if (!prepared.has(connection.session)) {
        await connection.query(SYNC).catch((error: unknown) => {
          if (!isOfServer(error)) throw error;
        });
        prepared.add(connection.session);
      }
      return connection.execute(text, values);
    });
  } catch (error) {
    // A statement that failed leaves a healthy connection; every other error does not.
    if (!isOfServer(error)) connection.destroy();
    throw error;
  } finally {
    connection.release();
  }
}

/** Errors of the server have a number of their own, and leave the connection open. */
const isOfServer = (error: unknown): boolean =>
  error instanceof Error && 'sqlState' in error && field(error, 'fatal') !== true;

/** The server is read-only, shuts down, or is a node of a cluster that has lost the others. */
const UNABLE: ReadonlySet<unknown> = new Set([1047, 1053, 1290, 1836]);

const isTroubleOfHost = (error: unknown): boolean => !isOfServer(error) || UNABLE.has(field(error, 'errno'));
