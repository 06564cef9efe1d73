import { isIPv6 } from 'node:net';

/**
 * An IP address in the one form that names its user: IPv4 without leading zeros, IPv6 in eight upper-case groups.
 * `undefined` for text that is no address.
 */
export function canonicalAddress(text: string): string | undefined {
  return canonicalIPv4(text) ?? canonicalIPv6(text);
}

/** An address with the number of its leading bits, as `192.0.2.0/24`. */
export function canonicalRange(text: string): string | undefined {
  const slash = text.indexOf('/');
  if (slash < 0) return undefined;
  const bits = text.slice(slash + 1);
  if (!/^\d{1,3}$/.test(bits)) return undefined;
  const address = text.slice(0, slash);
  const v4 = canonicalIPv4(address);
  const known = v4 ?? canonicalIPv6(address);
  if (known === undefined || Number(bits) > (v4 === undefined ? 128 : 32)) return undefined;
  return v4 === undefined ? firstOfRangeV6(known, Number(bits)) : firstOfRangeV4(v4, Number(bits));
}

/** Whether the text has the form of an IPv4 address, even one with numbers that are too large: such a name would deceive. */
export const looksLikeAddress = (text: string): boolean =>
  /^\d{1,3}\.\d{1,3}\.\d{1,3}\.(?:xxx|\d{1,3})$/.test(text) || isIPv6(text);

function canonicalIPv4(text: string): string | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1).map(Number);
  return parts?.every((part) => part <= 255) ? parts.join('.') : undefined;
}

function canonicalIPv6(text: string): string | undefined {
  if (!text.includes(':') || text.includes('.') || !isIPv6(text) || text.includes('%')) return undefined;
  const [head = '', tail] = text.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  return [...left, ...zeros, ...right].map(upperGroup).join(':');
}

const upperGroup = (group: string): string => group.replace(/^0+(?=.)/, '').toUpperCase();

function firstOfRangeV4(address: string, bits: number): string {
  const value = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  const size = 2 ** (32 - bits);
  const first = value - (value % size);
  return `${[24, 16, 8, 0].map((shift) => Math.floor(first / 2 ** shift) % 256).join('.')}/${bits}`;
}

function firstOfRangeV6(address: string, bits: number): string {
  const groups = address.split(':').map((group, index) => {
    const kept = Math.min(Math.max(bits - index * 16, 0), 16);
    return (Number.parseInt(group, 16) & ~((1 << (16 - kept)) - 1) & 0xffff).toString(16).toUpperCase();
  });
  return `${groups.join(':')}/${bits}`;
}
