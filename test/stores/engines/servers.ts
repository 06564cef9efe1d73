import type { Daemon } from './daemon.js';
import { noMariadb, startMariadb } from './mariadb.js';
import { noPostgres, startPostgres } from './postgres.js';
import { type Proxy, startProxy } from './proxy.js';
import { noRedis, startRedis } from './redis.js';

/** A database server that is one program. */
export interface Server extends Daemon {
  /** As `openStore` understands it. */
  readonly url: string;
}

/** What `openStore` can use. */
export type Driver = 'redis' | 'ioredis' | 'pg' | 'mysql2' | 'mariadb';

/** A database of one server, and how to start one. */
export interface ServerKind {
  readonly title: string;
  /** Why it cannot run here, if so. */
  readonly missing: string | undefined;
  readonly start: () => Promise<Server>;
  readonly drivers: readonly Driver[];
}

export const REDIS: ServerKind = {
  title: 'Redis',
  missing: noRedis,
  start: () => startRedis(),
  drivers: ['redis', 'ioredis'],
};
export const POSTGRES: ServerKind = {
  title: 'PostgreSQL',
  missing: noPostgres,
  start: startPostgres,
  drivers: ['pg'],
};
export const MARIADB: ServerKind = {
  title: 'MariaDB',
  missing: noMariadb,
  start: () => startMariadb(),
  drivers: ['mariadb', 'mysql2'],
};

export const SERVERS = [REDIS, POSTGRES, MARIADB] as const;

/** The option of `openStore` that chooses a driver; `pg` is the only one for its URLs. */
export const chosen = (driver: Driver): { readonly driver?: Exclude<Driver, 'pg'> } =>
  driver === 'pg' ? {} : { driver };

/** A server with a proxy in front of it. */
export interface Proxied<S extends Server = Server> {
  readonly server: S;
  readonly proxy: Proxy;
  /** The same, for suites that also know clusters. */
  readonly proxies: readonly Proxy[];
  /** Through the proxy; `server.url` is the direct way. */
  readonly address: string;
  remove(): Promise<unknown>;
}

export async function proxied<S extends Server>(starting: S | Promise<S>): Promise<Proxied<S>> {
  const server = await starting;
  const proxy = await startProxy(() => server.port);
  return {
    server,
    proxy,
    proxies: [proxy],
    address: server.url.replace(`:${server.port}`, `:${proxy.port}`),
    remove: () => Promise.all([proxy.close(), server.remove()]),
  };
}
