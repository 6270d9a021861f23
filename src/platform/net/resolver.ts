import { promises as dns, type LookupAddress } from 'node:dns';
import { isLocalName } from './addresses.js';

/** A resolver rejects or returns an empty list if the host has no address. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

export class NameLookupError extends Error {
  readonly code = 'NAME_LOOKUP';

  /** @param reason error code of c-ares or of the system, such as ETIMEDOUT or ESERVFAIL */
  constructor(readonly reason: string) {
    super(`the name could not be looked up (${reason})`);
    this.name = 'NameLookupError';
  }
}

export type NameServers = Pick<dns.Resolver, 'resolve4' | 'resolve6'>;

export interface ResolverOptions {
  /** Whether to also use the hosts file, which is safe only where private addresses are allowed. */
  systemNames: boolean;
  openServers?(): NameServers;
  /** Monotonic, in milliseconds. Default: `performance.now()`. */
  now?(): number;
}

/** Node.js reads /etc/resolv.conf only when a resolver is created, so the resolver is recreated every five seconds. */
const SERVERS_LIFETIME_MS = 5_000;

const LOCAL: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** DNS error codes which mean that a name has no address of the requested family. */
const NO_ADDRESS_CODES = new Set(['ENOTFOUND', 'ENODATA']);

/**
 * Queries name servers directly, because `dns.lookup` blocks one of Node.js's four shared threads until a dead name server
 * times out. The resolver rejects with a NameLookupError if it is unknown whether the name has an address.
 */
export function createDnsResolver({
  systemNames,
  openServers = () => new dns.Resolver({ timeout: 2_500, tries: 2 }),
  now = () => performance.now(),
}: ResolverOptions): Resolve {
  let servers: NameServers | undefined;
  let openedAt = 0;
  const getServers = (): NameServers => {
    if (!servers || now() - openedAt >= SERVERS_LIFETIME_MS) {
      servers = openServers();
      openedAt = now();
    }
    return servers;
  };
  return async (hostname) => {
    if (isLocalName(hostname)) return [...LOCAL];
    const nameServers = getServers();
    const [v4, v6] = await Promise.allSettled([nameServers.resolve4(hostname), nameServers.resolve6(hostname)]);
    const addresses: LookupAddress[] = [];
    if (v4.status === 'fulfilled') for (const address of v4.value) addresses.push({ address, family: 4 });
    if (v6.status === 'fulfilled') for (const address of v6.value) addresses.push({ address, family: 6 });
    if (addresses.length > 0) return addresses;
    const failures = systemNames ? [await lookUpWithSystem(hostname, addresses)] : [v4, v6].map(findFailureReason);
    for (const reason of failures) if (reason) throw new NameLookupError(reason);
    return addresses;
  };
}

/** Resolves to the reason if the lookup fails. */
async function lookUpWithSystem(hostname: string, addresses: LookupAddress[]): Promise<string | null> {
  const [result] = await Promise.allSettled([dns.lookup(hostname, { all: true })]);
  if (result.status === 'fulfilled') addresses.push(...result.value);
  return findFailureReason(result);
}

/** A lookup that finds no address is not a failure. */
function findFailureReason(result: PromiseSettledResult<unknown>): string | null {
  if (result.status === 'fulfilled') return null;
  const { code = 'unknown' } = result.reason as NodeJS.ErrnoException;
  return NO_ADDRESS_CODES.has(code) ? null : code;
}
