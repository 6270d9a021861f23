import type { LookupAddress, LookupOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { isPublicAddress } from './addresses.js';
import type { Resolve } from './resolver.js';

/** A connection that was not made, because it would lead to an address that may not be called. */
export class PrivateAddressError extends Error {
  readonly code = 'PRIVATE_ADDRESS';

  constructor() {
    super('the host is a private address');
    this.name = 'PrivateAddressError';
  }
}

/** After how long another address of a host is tried. Node.js's 250 ms give up on hosts that are merely far away. */
const NEXT_ADDRESS_MS = 2_000;

export interface ConnectorOptions {
  allowPrivate: boolean;
  resolve: Resolve;
  /** Milliseconds for TCP and TLS together. */
  timeoutMs: number;
}

/**
 * Makes undici's connections to public addresses only. The addresses of a name are judged where they are used, in the
 * look-up of the connection itself: a name that resolves to something else the next moment (DNS rebinding) gains nothing.
 */
export function publicConnector({ allowPrivate, resolve, timeoutMs }: ConnectorOptions): buildConnector.connector {
  const connect = buildConnector({
    timeout: timeoutMs,
    lookup: publicLookup({ allowPrivate, resolve }),
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
  });
  return (options, callback) => {
    const host = options.hostname.replace(/^\[(.*)\]$/, '$1');
    // A literal address is connected to without any look-up.
    if (!allowPrivate && isIP(host) !== 0 && !isPublicAddress(host)) {
      process.nextTick(callback, new PrivateAddressError(), null);
      return;
    }
    connect({ ...options, hostname: host }, callback);
  };
}

/** A look-up that answers with public addresses only, for whatever connects. */
export function publicLookup({ allowPrivate, resolve }: Omit<ConnectorOptions, 'timeoutMs'>): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (found) => {
        const addresses = allowPrivate ? found : found.filter(({ address }) => isPublicAddress(address));
        if (addresses.length > 0) handOver(addresses, options, callback);
        else if (found.length > 0) callback(new PrivateAddressError(), []);
        else callback(Object.assign(new Error('the name has no address'), { code: 'ENOTFOUND' }), []);
      },
      (error) => callback(error, []),
    );
  };
}

/** Node.js asks for one address, or for all of them to try one after the other. */
function handOver(
  addresses: readonly LookupAddress[],
  { all }: LookupOptions,
  callback: Parameters<LookupFunction>[2],
): void {
  const [first] = addresses;
  if (all || !first) callback(null, [...addresses]);
  else callback(null, first.address, first.family);
}
