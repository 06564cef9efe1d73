import { isIPv4, isIPv6 } from 'node:net';

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

/** Longer texts are no addresses: the longest has brackets, quotation marks, a zone and a port. */
const MAX_LENGTH = 128;

/** An address in brackets, or with a port or its pseudonym (RFC 7239 §6.2). An IPv6 address without brackets has no port. */
const NODE = /^(?:\[([^[\]]+)\]|([\d.]+))(?::[\w.-]+)?$/;

/** `::ffff:192.0.2.1` ends with an IPv4 address, and is one. */
const withoutDots = (address: string): string =>
  address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...parts: readonly string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = parts.slice(0, 4).map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });

/**
 * Reads the address of a caller in all the forms in which frameworks and proxies pass it on: with a port, in brackets, with a zone, in quotation marks, an IPv4
 * address as IPv6.
 *
 * @returns the text of an IPv4 address, or the groups of an IPv6 address; `undefined` if the text is not one address.
 */
export const readAddress = (text: string): string | readonly number[] | undefined => {
  if (isIPv4(text)) return text;
  if (text.length > MAX_LENGTH) return undefined;
  const bare = text.trim().replace(/^"(.*)"$/, '$1');
  const [, bracketed, plain] = NODE.exec(bare) ?? [];
  const [address = ''] = (bracketed ?? plain ?? bare).split('%', 1);
  if (isIPv4(address)) return address;
  const groups = isIPv6(address) ? groupsOfIPv6(withoutDots(address)) : undefined;
  if (groups === undefined) return undefined;
  const [high = 0, low = 0] = groups.slice(6);
  const isMapped = groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0);
  return isMapped ? [high >> 8, high & 255, low >> 8, low & 255].join('.') : groups;
};
