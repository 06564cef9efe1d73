import { mistake } from '../../core/base/mistakes.js';

/** A mistake in the URL of a store. */
export const wrong = (sentence: string): TypeError => mistake(`openStore: ${sentence}`, 'OQ113');

/** The servers of a Redis, and the credentials for it. */
export interface RedisAddress {
  readonly kind: 'single' | 'cluster' | 'sentinel';
  readonly tls: boolean;
  readonly hosts: readonly HostPort[];
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly database: number;
  /** The master's name in Sentinel. */
  readonly master: string;
}

export interface HostPort {
  readonly host: string;
  readonly port: number;
}

const FORM =
  /^(rediss?)(?:\+(cluster|sentinel))?:\/\/(?:(?<user>[^:/]*)(?::(?<password>[^/]*))?@)?(?<hosts>[^/@]+)(?:\/(?<path>.*))?$/;

/**
 * Parses `redis://host:6379/0`, `redis+cluster://h1:7000,h2:7001`, `redis+sentinel://h1:26379,h2:26379/mymaster/0`, each also
 * with `rediss` for TLS and with `user:password@` before the hosts.
 *
 * @throws TypeError for anything else; the message never quotes parts that may be secret.
 */
export function parseRedisAddress(url: string): RedisAddress {
  const [, scheme, kind = 'single'] = FORM.exec(url) ?? [];
  const { user, password, hosts = '', path = '' } = FORM.exec(url)?.groups ?? {};
  if (kind !== 'single' && kind !== 'cluster' && kind !== 'sentinel') throw malformed();
  if (scheme === undefined) throw malformed();
  const parts = path === '' ? [] : path.split('/').map((part) => decode(part, malformed));
  const master = kind === 'sentinel' ? parts.shift() : '';
  const [database = '0', ...rest] = parts;
  if (master === undefined)
    throw wrong('redis+sentinel:// needs the name of the master: redis+sentinel://host:26379/mymaster');
  if (rest.length > 0 || !/^\d+$/.test(database)) throw malformed();
  if (kind === 'cluster' && database !== '0') throw wrong('a Redis Cluster has only database 0');
  const addresses = hostsOf(hosts, kind === 'sentinel' ? 26_379 : 6_379, malformed);
  if (kind === 'single' && addresses.length > 1) {
    throw wrong('redis:// takes one host; for several use redis+cluster:// or redis+sentinel://');
  }
  return {
    kind,
    tls: scheme === 'rediss',
    hosts: addresses,
    username: user ? decode(user, malformed) : undefined,
    password: password ? decode(password, malformed) : undefined,
    database: Number(database),
    master,
  };
}

/** Hosts separated by commas, each with its port or the default. */
export const hostsOf = (text: string, defaultPort: number, malformed: () => TypeError): HostPort[] =>
  text.split(',').map((host) => hostPort(host, defaultPort, malformed));

function hostPort(text: string, defaultPort: number, malformed: () => TypeError): HostPort {
  const [, bracketed, plain, port] = /^(?:\[([\da-f:.]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || Number(port) > 65_535) throw malformed();
  return { host, port: port === undefined ? defaultPort : Number(port) };
}

/** A percent-encoded part of a URL. */
export function decode(text: string, malformed: () => TypeError): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw malformed();
  }
}

const malformed = (): TypeError =>
  wrong(
    'the URL of Redis must look like redis://user:password@host:6379/0, redis+cluster://host1:6379,host2:6379 or ' +
      'redis+sentinel://host1:26379,host2:26379/mymaster; percent-encode special characters of a user name or a password',
  );
