import type { HttpRequest } from '../../base/http.js';
import { isLoopbackHost } from '../../base/loopback.js';
import { originCheck } from '../endpoint/cors.js';
import { parseUrl } from '../../base/url.js';

/** What may stand in the header: a name or an address, and a port. RFC 1035 §2.3.4 bounds names. */
const HOST = /^[A-Za-z0-9.\-_]{1,255}(?::\d{1,5})?$|^\[[0-9A-Fa-f:.]{2,45}\](?::\d{1,5})?$/;

/** By which names this server can be asked, and which pages may ask. */
export interface DoorNames {
  readonly issuer: string;
  readonly hosts: readonly string[];
  /** As in `cors` of the query API. */
  readonly origins: readonly string[];
}

/** What is wrong with where a request comes from, as a sentence; `undefined` when nothing is. */
export type DoorCheck = (request: HttpRequest) => string | undefined;

const isLoopbackOrigin = (origin: string): boolean => {
  const [, host = ''] = /^https?:\/\/([^/:]+|\[[0-9a-f:]+\])(?::\d{1,5})?$/i.exec(origin) ?? [];
  return isLoopbackHost(host);
};

/**
 * Finds out whether a page of another site has sent a request, and whether a browser was made to take another site for this one (DNS rebinding). A
 * name of this machine cannot have been made up by that, so it is always good.
 */
export const doorCheck = ({ issuer, hosts, origins }: DoorNames): DoorCheck => {
  const { origin: own, protocol, hostname } = new URL(issuer);
  const hostOf = (given: string): string | undefined =>
    HOST.test(given) ? parseUrl(`${protocol}//${given}`)?.host : undefined;
  const known = new Set([new URL(issuer).host, ...hosts.map((host) => hostOf(host) ?? host)]);
  const isAllowed = originCheck(origins);
  const isLocal = isLoopbackHost(hostname);
  return (request) => {
    const host = hostOf(request.header('host') ?? '');
    if (host === undefined || !(known.has(host) || isLoopbackHost(host.replace(/:\d+$/, ''))))
      return 'The Host header names another server than this one. Its names are that of options.issuer and those in options.query.mcp.hosts.';
    const origin = request.header('origin');
    const isOwn = origin === undefined || origin === own || isAllowed(origin) || (isLocal && isLoopbackOrigin(origin));
    return isOwn
      ? undefined
      : 'The Origin header names a site whose pages may not ask. Those that may are in options.query.cors.origins.';
  };
};
