import { groupsOfIPv6 } from '../addresses/ip-address.js';

/**
 * The source of a request for rate limits: an IPv4 address, or the network of an IPv6 address, because a subscriber has
 * all 2^64 addresses of a network (RFC 6177 §2).
 *
 * @param ip - As the framework reports it; empty if it has none. All requests without an address are one source.
 */
export const sourceOf = (ip: string): string => {
  const network = groupsOfIPv6(ip)?.slice(0, 4);
  return network === undefined ? ip : `${network.map((group) => group.toString(16)).join(':')}::/64`;
};

/** On sockets without addresses all callers are one source, so its limits are this many times higher. */
const WITHOUT_ADDRESS = 20;

/** A limit, adjusted for requests without an address. */
export const limitAt = (ip: string, max: number): number => (ip === '' ? max * WITHOUT_ADDRESS : max);
