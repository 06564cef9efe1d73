import type { HttpRequest } from '../core/index.js';
import type { McpParts } from './protocol.js';

/** A name or an address, and optionally a port. RFC 1035 §2.3.4 limits the length of names. */
const HOST = /^[A-Za-z0-9.\-_]{1,255}(?::\d{1,5})?$|^\[[0-9A-Fa-f:.]{2,45}\](?::\d{1,5})?$/;

/** Names that no other machine can be reached by. */
const isLoopbackHost = (name: string): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(name);

const isLoopbackOrigin = (origin: string): boolean => {
  const [, host = ''] = /^https?:\/\/([^/:]+|\[[0-9a-f:]+\])(?::\d{1,5})?$/i.exec(origin) ?? [];
  return isLoopbackHost(host);
};

/**
 * Rejects requests of pages of other sites, and requests to other host names, which DNS rebinding sends here. Loopback names are allowed, because
 * DNS rebinding cannot use them.
 *
 * @returns Why the `Host` or `Origin` of a request is rejected; `undefined` if both are allowed.
 */
export const createSourceCheck = ({
  options: { hosts = [] },
  resource,
  query: { isAllowedOrigin },
}: McpParts): ((request: HttpRequest) => string | undefined) => {
  const { origin: own, protocol, hostname } = new URL(resource);
  const hostOf = (given: string): string | undefined => {
    try {
      return HOST.test(given) ? new URL(`${protocol}//${given}`).host : undefined;
    } catch {
      return undefined; // Such as a port above 65535.
    }
  };
  const known = new Set([new URL(resource).host, ...hosts.map((host) => hostOf(host) ?? host)]);
  const isLocal = isLoopbackHost(hostname);
  return (request) => {
    const host = hostOf(request.header('host') ?? '');
    if (host === undefined || !(known.has(host) || isLoopbackHost(host.replace(/:\d+$/, ''))))
      return 'The Host header does not name this server. Names other than that of options.issuer must be listed in the option hosts of mcp().';
    const origin = request.header('origin');
    const isAllowed =
      origin === undefined || origin === own || isAllowedOrigin(origin) || (isLocal && isLoopbackOrigin(origin));
    return isAllowed
      ? undefined
      : 'Pages of this origin may not send requests to this server. Allowed origins are listed in the option cors of query().';
  };
};
