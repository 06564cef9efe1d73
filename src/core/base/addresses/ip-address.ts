import { isIPv6 } from 'node:net';

/**
 * The eight groups of an IPv6 address, without its zone. `undefined` for everything else, and for an address in
 * dotted notation: `::ffff:192.0.2.1` is an IPv4 address.
 */
export const groupsOfIPv6 = (text: string): readonly number[] | undefined => {
  if (!text.includes(':')) return undefined;
  const [address = ''] = text.split('%', 1);
  if (address.includes('.') || !isIPv6(address)) return undefined;
  const [left = [], right = []] = address.split('::').map((half) => (half === '' ? [] : half.split(':')));
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  return [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16));
};
