import { promises as dns, type LookupAddress } from 'node:dns';
import { isLocalName } from './addresses.js';

/** Finds the addresses of a host name. Rejects, or answers none, where there are none. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

/** No name server could be asked, or none knew an answer: it is not known whether the name has an address. */
export class NameLookupError extends Error {
  readonly code = 'NAME_LOOKUP';

  /** @param reason c-ares's or the system's code, such as ETIMEOUT or ESERVFAIL */
  constructor(readonly reason: string) {
    super(`the name could not be looked up (${reason})`);
    this.name = 'NameLookupError';
  }
}

/** The part of Node.js's resolver that is used. */
export type NameServers = Pick<dns.Resolver, 'resolve4' | 'resolve6'>;

export interface ResolverOptions {
  /**
   * Whether names that DNS does not know are looked for in the system's other sources too, such as its hosts file; only
   * where private addresses are allowed.
   */
  systemNames: boolean;
  /** Reads which name servers the system uses; by Node.js unless told. */
  openServers?(): NameServers;
  /** Milliseconds of a clock that never goes back; the process's own unless told. */
  now?(): number;
}

/** How long the name servers are believed to be those that the system uses. */
const SERVERS_MS = 5_000;

const LOCAL: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** The name is known, and has no address (of that family). */
const NO_ADDRESS_CODES = new Set(['ENOTFOUND', 'ENODATA']);

/**
 * Resolves by DNS queries of its own. `dns.lookup` would occupy one of the four threads that the whole process shares,
 * for as long as a dead name server lets it: a few of those would hold up everybody's deliveries.
 *
 * Node.js reads the system's name servers (/etc/resolv.conf) when a resolver is made and never again, so a new one is
 * made every few seconds: a machine that changes its network goes on delivering.
 * @throws {NameLookupError} where it cannot be known whether the name has an address
 */
export function dnsResolver({
  systemNames,
  openServers = () => new dns.Resolver({ timeout: 2_500, tries: 2 }),
  now = () => performance.now(),
}: ResolverOptions): Resolve {
  let servers: NameServers | undefined;
  let openedAt = 0;
  const current = (): NameServers => {
    if (!servers || now() - openedAt >= SERVERS_MS) {
      servers = openServers();
      openedAt = now();
    }
    return servers;
  };
  return async (hostname) => {
    if (isLocalName(hostname)) return [...LOCAL];
    const asked = current();
    const [v4, v6] = await Promise.allSettled([asked.resolve4(hostname), asked.resolve6(hostname)]);
    const found: LookupAddress[] = [];
    if (v4.status === 'fulfilled') for (const address of v4.value) found.push({ address, family: 4 });
    if (v6.status === 'fulfilled') for (const address of v6.value) found.push({ address, family: 6 });
    if (found.length > 0) return found;
    const failures = systemNames ? [await systemLookup(hostname, found)] : [v4, v6].map(failureOf);
    for (const reason of failures) if (reason) throw new NameLookupError(reason);
    return found;
  };
}

/** Asks the system's sources, and adds what they know. Resolves to why they could not tell, or null. */
async function systemLookup(hostname: string, found: LookupAddress[]): Promise<string | null> {
  const [result] = await Promise.allSettled([dns.lookup(hostname, { all: true })]);
  if (result.status === 'fulfilled') found.push(...result.value);
  return failureOf(result);
}

/** Why a look-up could not tell; null where it did, be it that there is no address. */
function failureOf(result: PromiseSettledResult<unknown>): string | null {
  if (result.status === 'fulfilled') return null;
  const { code = 'unknown' } = result.reason as NodeJS.ErrnoException;
  return NO_ADDRESS_CODES.has(code) ? null : code;
}
