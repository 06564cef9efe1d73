import { BlockList, isIP } from 'node:net';

/** The IANA registry of special-purpose IPv4 addresses, multicast and reserved ones included. */
const SPECIAL_IPV4 = `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24
  192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24
  224.0.0.0/3`;

/**
 * Special-purpose IPv6 addresses inside 2000::/3 according to the IANA registry. Everything outside is special: loopback, link-local and unique
 * local addresses, those that contain an IPv4 address (::ffff:0:0/96, 64:ff9b::/96), multicast.
 */
const SPECIAL_IPV6 = '2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20';

const blockList = (networks: string, family: 'ipv4' | 'ipv6'): BlockList => {
  const list = new BlockList();
  for (const network of networks.split(/\s+/)) {
    const [address = '', length] = network.split('/');
    list.addSubnet(address, Number(length), family);
  }
  return list;
};

const SPECIAL = { ipv4: blockList(SPECIAL_IPV4, 'ipv4'), ipv6: blockList(SPECIAL_IPV6, 'ipv6') };
const GLOBAL_UNICAST = blockList('2000::/3', 'ipv6');

/** Whether an IP address belongs to the public Internet. An unparseable one does not, nor one with a zone, which refers to an interface of this machine. */
export const isPublicAddress = (address: string): boolean => {
  const version = address.includes('%') ? 0 : isIP(address);
  if (version === 4) return !SPECIAL.ipv4.check(address, 'ipv4');
  return version === 6 && GLOBAL_UNICAST.check(address, 'ipv6') && !SPECIAL.ipv6.check(address, 'ipv6');
};
