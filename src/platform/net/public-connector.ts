import type { LookupAddress, LookupOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { isPublicAddress } from './addresses.js';
import type { Resolve } from './resolver.js';

export class PrivateAddressError extends Error {
  readonly code = 'PRIVATE_ADDRESS';

  constructor() {
    super('the host is a private address');
    this.name = 'PrivateAddressError';
  }
}

/** Node.js's default of 250 ms per address is too short for distant hosts. */
const ADDRESS_ATTEMPT_MS = 2_000;

export interface ConnectorOptions {
  allowPrivate: boolean;
  resolve: Resolve;
  timeoutMs: number;
}

/** Checks addresses in the DNS lookup of the connection itself, which prevents DNS rebinding. */
export function createPublicConnector({
  allowPrivate,
  resolve,
  timeoutMs,
}: ConnectorOptions): buildConnector.connector {
  const connect = buildConnector({
    timeout: timeoutMs,
    lookup: createPublicLookup({ allowPrivate, resolve }),
    autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
  });
  return (options, callback) => {
    const host = options.hostname.replace(/^\[(.*)\]$/, '$1');
    if (!allowPrivate && isIP(host) !== 0 && !isPublicAddress(host)) {
      process.nextTick(callback, new PrivateAddressError(), null);
      return;
    }
    connect({ ...options, hostname: host }, callback);
  };
}

export function createPublicLookup({ allowPrivate, resolve }: Omit<ConnectorOptions, 'timeoutMs'>): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (resolved) => {
        const addresses = allowPrivate ? resolved : resolved.filter(({ address }) => isPublicAddress(address));
        if (addresses.length > 0) passAddresses(addresses, options, callback);
        else if (resolved.length > 0) callback(new PrivateAddressError(), []);
        else callback(Object.assign(new Error('the name has no address'), { code: 'ENOTFOUND' }), []);
      },
      (error) => callback(error, []),
    );
  };
}

/** Node.js requests either one address, or all addresses to try them in turn. */
function passAddresses(
  addresses: readonly LookupAddress[],
  { all }: LookupOptions,
  callback: Parameters<LookupFunction>[2],
): void {
  const [first] = addresses;
  if (all || !first) callback(null, [...addresses]);
  else callback(null, first.address, first.family);
}
