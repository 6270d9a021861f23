import { promises as dns, type LookupAddress } from 'node:dns';
import { isLocalName } from '../addresses.js';

/** Finds the addresses of a host name. Rejects, or answers none, where there are none. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

const LOCAL: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/**
 * Resolves by DNS queries of its own. `dns.lookup` would occupy one of the four threads that the whole process shares,
 * for as long as a dead name server lets it: a few of those would hold up everybody's deliveries.
 * @param systemNames whether names that DNS does not know are looked for in the system's other sources too, such as its
 * hosts file; only where private addresses are allowed
 */
export function dnsResolver({ systemNames }: { systemNames: boolean }): Resolve {
  const resolver = new dns.Resolver({ timeout: 2_500, tries: 2 });
  return async (hostname) => {
    if (isLocalName(hostname)) return [...LOCAL];
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const found: LookupAddress[] = [];
    if (v4.status === 'fulfilled') for (const address of v4.value) found.push({ address, family: 4 });
    if (v6.status === 'fulfilled') for (const address of v6.value) found.push({ address, family: 6 });
    if (found.length > 0) return found;
    if (systemNames) return await dns.lookup(hostname, { all: true });
    throw v4.status === 'rejected' ? v4.reason : new Error('the name has no address');
  };
}
