import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Store } from 'oauth-query';
import { memoryStore } from 'oauth-query/stores/memory';
import { postgresStore } from 'oauth-query/stores/postgres';
import { redisStore } from 'oauth-query/stores/redis';
import { sqliteStore } from 'oauth-query/stores/sqlite';
import { Complaint } from './complaint.js';
import { ENVIRONMENT, type Wording } from './wording.js';

export interface OpenStore {
  readonly store: Store;
  close(): Promise<void>;
}

const reasonOf = (error: unknown): string => {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  return error instanceof Error ? error.message || String(error) : String(error);
};

/** Drivers are not dependencies of the library, so one may not be there. */
export const loadDriver = async <T>(name: string, load: () => Promise<T>): Promise<T> => {
  try {
    return await load();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') {
      throw new Complaint(
        `This store needs the package ${name}, which is not installed. Install it with: npm install ${name}`,
      );
    }
    throw error;
  }
};

const openSqlite = (file: string, setting: string): OpenStore => {
  try {
    mkdirSync(dirname(file), { recursive: true });
    const store = sqliteStore({ file });
    return { store, close: () => store.close() };
  } catch (error) {
    throw new Complaint(`${setting}: the file ${file} cannot be opened: ${reasonOf(error)}`);
  }
};

const openRedis = async (url: string, setting: string): Promise<OpenStore> => {
  const { createClient } = await loadDriver('redis', () => import('redis'));
  let connected = false;
  const client = createClient({
    url,
    disableOfflineQueue: true,
    // The first connection has to work, any other is tried again for as long as it takes.
    socket: { reconnectStrategy: (retries, cause) => (connected ? Math.min(retries * 100, 2_000) : cause) },
  });
  client.on('error', (error: unknown) => {
    if (connected) console.error(`Redis: ${reasonOf(error)}`);
  });
  try {
    await client.connect();
    connected = true;
    const store = redisStore({ sendCommand: (args) => client.sendCommand(args) });
    await store.check();
    return { store, close: async () => client.destroy() };
  } catch (error) {
    if (client.isOpen) client.destroy();
    throw new Complaint(`${setting}: Redis cannot be used: ${reasonOf(error)}`);
  }
};

const openPostgres = async (connectionString: string, setting: string): Promise<OpenStore> => {
  const { default: pg } = await loadDriver('pg', () => import('pg'));
  const pool = new pg.Pool({ connectionString, connectionTimeoutMillis: 2_000, statement_timeout: 2_000 });
  pool.on('error', (error) => console.error(`PostgreSQL: ${reasonOf(error)}`));
  const store = postgresStore({ query: (text, values) => pool.query(text, values) });
  const close = async (): Promise<void> => {
    await store.close();
    await pool.end();
  };
  try {
    await store.migrate();
    return { store, close };
  } catch (error) {
    await close();
    throw new Complaint(`${setting}: PostgreSQL cannot be used: ${reasonOf(error)}`);
  }
};

/**
 * Opens the store that the STORE setting names.
 *
 * @throws Complaint when there is no such store, its driver is missing or it does not answer.
 */
export const openStore = async (store: string, wording: Wording = ENVIRONMENT): Promise<OpenStore> => {
  const setting = wording.setting('STORE');
  if (store === 'memory') return { store: memoryStore(), close: async () => undefined };
  if (/^sqlite:./.test(store)) return openSqlite(store.slice('sqlite:'.length), setting);
  if (/^rediss?:\/\//.test(store)) return openRedis(store, setting);
  if (/^postgres(ql)?:\/\//.test(store)) return openPostgres(store, setting);
  throw new Complaint(`${setting} must be memory, sqlite:<file>, redis://… or postgres://…, not "${store}".`);
};
