import type { IncomingMessage } from 'node:http';
import type { RequestOptions } from 'node:https';
import { isIP, isIPv6, type LookupFunction } from 'node:net';
import { isPublicAddress } from './public-address.js';
import { hostResolver, type Resolve } from './resolve-host.js';

/** What may be contacted. Replaced in tests, and for hosts on loopback. */
export interface Network {
  readonly resolve: Resolve;
  readonly isAllowed: (address: string) => boolean;
  readonly connection: RequestOptions;
}

/** What is sent. */
interface PublicRequest {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

const MAX_HEADER_BYTES = 16_384;

/** A name may have many addresses; more than this are a mistake or an attack. */
const MAX_ADDRESSES = 32;

/** Public servers only. */
export const publicNetwork = (replaced: Partial<Network> = {}): Network => ({
  resolve: hostResolver(),
  isAllowed: isPublicAddress,
  connection: {},
  ...replaced,
});

/** Connects to the checked addresses, whatever the name resolves to by then. */
const pinnedTo =
  (addresses: readonly string[]): LookupFunction =>
  (_host, { all }, callback) => {
    const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
    if (all === true) callback(null, found);
    else callback(null, found[0]?.address ?? '', found[0]?.family);
  };

const checkedAddresses = async (
  host: string,
  { resolve, isAllowed }: Network,
  signal: AbortSignal,
): Promise<readonly string[]> => {
  const addresses = isIP(host) === 0 ? await resolve(host, signal) : [host];
  if (addresses.length > MAX_ADDRESSES) throw new Error(`${host} has more than ${MAX_ADDRESSES} IP addresses.`);
  const special = addresses.find((address) => !isAllowed(address));
  if (special !== undefined) throw new Error(`${host} resolves to ${special}, which is not a public address.`);
  return addresses;
};

/**
 * Sends a request to a server whose address is checked first. Redirects are not followed. The caller ends the response.
 *
 * @throws Error with a sentence that says what is wrong.
 */
export const publicRequest = async (
  url: URL,
  { method, headers, body }: PublicRequest,
  network: Network,
  signal: AbortSignal,
): Promise<IncomingMessage> => {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = await checkedAddresses(host, network, signal);
  // Without TLS only on loopback, which the addresses of registrations allow.
  const { request } = url.protocol === 'http:' ? await import('node:http') : await import('node:https');
  return new Promise((resolve, reject) => {
    const outgoing = request({
      host,
      servername: host,
      port: url.port === '' ? undefined : url.port,
      path: url.pathname + url.search,
      method,
      headers: { host: url.host, 'accept-encoding': 'identity', 'user-agent': 'oauth-query', ...headers },
      lookup: pinnedTo(addresses),
      agent: false,
      rejectUnauthorized: true,
      maxHeaderSize: MAX_HEADER_BYTES,
      signal,
      ...network.connection,
    });
    outgoing.on('response', resolve);
    outgoing.on('error', reject);
    outgoing.end(body);
  });
};
