import { isIPv4 } from 'node:net';
import { groupsOfIPv6 } from '../../core/base/addresses/ip-address.js';

/** The IANA registry of special-purpose IPv4 addresses, multicast and reserved ones included. */
const SPECIAL_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
];

/**
 * Special-purpose IPv6 addresses inside 2000::/3 according to the IANA registry. Everything outside is special: loopback, link-local and unique
 * local addresses, those that contain an IPv4 address (::ffff:0:0/96, 64:ff9b::/96), multicast.
 */
const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'];

interface Network {
  readonly start: bigint;
  readonly shift: bigint;
}

const joined = (parts: readonly number[], bits: number): bigint =>
  parts.reduce((number, part) => (number << BigInt(bits)) | BigInt(part), 0n);

/** An address as a number, with its number of bits. */
const numberOf = (address: string): readonly [number: bigint, bits: number] | undefined => {
  if (isIPv4(address)) return [joined(address.split('.').map(Number), 8), 32];
  // A zone refers to an interface of this machine.
  const groups = address.includes('%') ? undefined : groupsOfIPv6(address);
  return groups === undefined ? undefined : [joined(groups, 16), 128];
};

const networkOf = (text: string): Network => {
  const [address = '', length = ''] = text.split('/');
  const [number, bits] = numberOf(address) ?? [0n, 0];
  const shift = BigInt(bits - Number(length));
  return { start: number >> shift, shift };
};

const IPV4 = SPECIAL_IPV4.map(networkOf);
const IPV6 = SPECIAL_IPV6.map(networkOf);
const GLOBAL_UNICAST = networkOf('2000::/3');

const isIn = (number: bigint, { start, shift }: Network): boolean => number >> shift === start;

/** Whether an IP address belongs to the public Internet. An unparseable one does not. */
export const isPublicAddress = (address: string): boolean => {
  const [number, bits] = numberOf(address) ?? [];
  if (number === undefined) return false;
  if (bits === 32) return !IPV4.some((network) => isIn(number, network));
  return isIn(number, GLOBAL_UNICAST) && !IPV6.some((network) => isIn(number, network));
};
