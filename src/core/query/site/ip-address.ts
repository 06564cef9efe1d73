import { isIPv6 } from 'node:net';
import { groupsOfIPv6 } from '../../base/addresses/ip-address.js';

/**
 * The canonical form of an IP address: IPv4 without leading zeros, IPv6 in eight upper-case groups. `undefined` if the
 * text is not an address.
 */
export const canonicalAddress = (text: string): string | undefined => {
  const groups = groupsOf(text);
  return canonicalIPv4(text) ?? (groups && textOf(groups));
};

/** The canonical form of an IP range, such as `192.0.2.0/24`. */
export const canonicalRange = (text: string): string | undefined => {
  const slash = text.indexOf('/');
  if (slash < 0) return undefined;
  const bits = text.slice(slash + 1);
  if (!/^\d{1,3}$/.test(bits)) return undefined;
  const address = text.slice(0, slash);
  const v4 = canonicalIPv4(address);
  const v6 = groupsOf(address);
  if (v4 !== undefined) return Number(bits) > 32 ? undefined : firstOfRangeV4(v4, Number(bits));
  return v6 === undefined || Number(bits) > 128 ? undefined : firstOfRangeV6(v6, Number(bits));
};

/**
 * Whether the text looks like an IP address, even with IPv4 numbers that are too large: such a user name would be
 * misleading.
 */
export const looksLikeAddress = (text: string): boolean =>
  /^\d{1,3}\.\d{1,3}\.\d{1,3}\.(?:xxx|\d{1,3})$/.test(text) || isIPv6(text);

const canonicalIPv4 = (text: string): string | undefined => {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1).map(Number);
  return parts?.every((part) => part <= 255) ? parts.join('.') : undefined;
};

/** Addresses with a zone are not user names. */
const groupsOf = (text: string): readonly number[] | undefined => (text.includes('%') ? undefined : groupsOfIPv6(text));

/** MediaWiki writes IPv6 in upper case, without `::`. */
const textOf = (groups: readonly number[]): string => groups.map((group) => group.toString(16).toUpperCase()).join(':');

const firstOfRangeV4 = (address: string, bits: number): string => {
  const value = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  const size = 2 ** (32 - bits);
  const first = value - (value % size);
  return `${[24, 16, 8, 0].map((shift) => Math.floor(first / 2 ** shift) % 256).join('.')}/${bits}`;
};

const firstOfRangeV6 = (address: readonly number[], bits: number): string => {
  const groups = address.map((group, index) => {
    const kept = Math.min(Math.max(bits - index * 16, 0), 16);
    return group & ~((1 << (16 - kept)) - 1) & 0xffff;
  });
  return `${textOf(groups)}/${bits}`;
};
