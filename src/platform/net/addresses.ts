import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Azure's platform address, which no registry lists as special:
 * https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
 */
const PLATFORM_ADDRESSES: ReadonlySet<string> = new Set(['168.63.129.16']);
/** Global unicast range (RFC 4291 §2.4). All addresses outside this range are special or unassigned. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Returns false for private, shared (RFC 6598) and other reserved addresses. Also returns false for IPv6 addresses that embed
 * an IPv4 address (mapped, NAT64, 6to4, Teredo), which may be private.
 */
export function isPublicAddress(address: string): boolean {
  // ipaddr.js also accepts forms such as 0x7f.1, which must be refused.
  if (isIP(address) === 0 || address.includes('%')) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv6 ? parsed.match(GLOBAL_UNICAST) : !PLATFORM_ADDRESSES.has(parsed.toString());
}

/** Follows RFC 6761 §6.3. */
export function isLocalName(hostname: string): boolean {
  return /(?:^|\.)localhost\.?$/i.test(hostname);
}
