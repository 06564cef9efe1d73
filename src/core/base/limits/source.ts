import { BlockList, isIP } from 'node:net';
import { readAddress } from '../addresses/ip-address.js';

const textOf = (groups: readonly number[]): string => groups.map((group) => group.toString(16)).join(':');

/**
 * The source of a request for rate limits: an IPv4 address, or the network of an IPv6 address, because a subscriber has
 * all 2^64 addresses of a network (RFC 6177 §2).
 *
 * @param ip - As the framework reports it; empty if it has none. All requests without an address that can be read are one source, or a
 * caller could be as many as it has texts.
 */
export const sourceOf = (ip: string): string => {
  const address = readAddress(ip);
  return typeof address === 'object' ? `${textOf(address.slice(0, 4))}::/64` : (address ?? '');
};

/** Where many people share an address, and where no address can be read, limits are this many times higher. */
const SHARED = 20;

/** A limit per source, as it is for one address. */
export type LimitAt = (ip: string, max: number) => number;

/** @param networks - Addresses that many people share, such as `203.0.113.7` or `2001:db8::/56`. */
export const limitWith = (networks: readonly string[]): LimitAt => {
  const shared = new BlockList();
  for (const network of networks) {
    const [address = '', length] = network.split('/');
    const family = familyOf(address);
    if (length === undefined) shared.addAddress(address, family);
    else shared.addSubnet(address, Number(length), family);
  }
  const isShared = (address: string): boolean => networks.length > 0 && shared.check(address, familyOf(address));
  return (ip, max) => {
    const address = readAddress(ip);
    const text = typeof address === 'object' ? textOf(address) : address;
    return text === undefined || isShared(text) ? max * SHARED : max;
  };
};

const familyOf = (address: string): 'ipv4' | 'ipv6' => (address.includes(':') ? 'ipv6' : 'ipv4');

/** Whether a text is an address, or a network with the length of its prefix. */
export const isNetwork = (text: string): boolean => {
  const [address = '', length = '0', ...more] = text.split('/');
  const version = address.includes('%') ? 0 : isIP(address);
  return version !== 0 && more.length === 0 && /^\d{1,3}$/.test(length) && Number(length) <= (version === 4 ? 32 : 128);
};
