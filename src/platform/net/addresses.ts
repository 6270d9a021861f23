import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Azure's platform agent (its DHCP, DNS and machine state) answers at an address that no registry marks as special:
 * https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
 */
const PLATFORM_ADDRESSES: ReadonlySet<string> = new Set(['168.63.129.16']);
/** RFC 4291 §2.4: what IANA gives out as global unicast today. Everything outside it is special or unassigned. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an address lies on the public Internet: not private, loopback, link-local, shared (RFC 6598), multicast,
 * unspecified, documentation or otherwise reserved, and not an IPv6 address that stands for an IPv4 one (mapped, NAT64,
 * 6to4, Teredo), for such a one could lead back inside.
 * @param address as `dns.lookup` and URLs write it, without brackets
 */
export function isPublicAddress(address: string): boolean {
  // ipaddr.js also takes forms such as 0x7f.1, which nothing may hand on here.
  if (isIP(address) === 0 || address.includes('%')) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv6 ? parsed.match(GLOBAL_UNICAST) : !PLATFORM_ADDRESSES.has(parsed.toString());
}

/** Whether a host name is the machine itself by its name alone (RFC 6761 §6.3). */
export function isLocalName(hostname: string): boolean {
  return /(?:^|\.)localhost\.?$/i.test(hostname);
}
