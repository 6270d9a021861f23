import { buildConnector } from 'undici';
import { PrivateAddressError, publicConnector } from '../../platform/net/public-connector.js';
import { dnsResolver } from '../../platform/net/resolver.js';

export interface GuardOptions {
  /** Hosts, as URLs name them, that may be private addresses. */
  privateHosts: readonly string[];
  /** For a connection, in milliseconds. */
  timeoutMs: number;
}

/**
 * Makes connections to addresses that an operator at the console may set: public ones alone, but for the hosts that the
 * operator of the machine allows.
 */
export function guardedConnector({ privateHosts, timeoutMs }: GuardOptions): buildConnector.connector {
  const allowed = new Set(privateHosts.map((host) => host.toLowerCase()));
  const anywhere = buildConnector({ timeout: timeoutMs });
  const outside = publicConnector({ allowPrivate: false, resolve: dnsResolver({ systemNames: false }), timeoutMs });
  return (options, callback) => {
    const host = options.hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase();
    if (allowed.has(host)) anywhere({ ...options, hostname: host }, callback);
    else outside(options, callback);
  };
}

/** The hosts of CARRIER_PRIVATE_HOSTS. */
export function privateHostsIn(env: NodeJS.ProcessEnv): string[] {
  return (env.CARRIER_PRIVATE_HOSTS ?? '')
    .split(',')
    .map((host) => host.trim())
    .filter((host) => host !== '');
}

/** Whether a call was not made because its host may not be reached. */
export function isPrivateHost(error: unknown): boolean {
  const all = [error, ...(error instanceof AggregateError ? error.errors : [])];
  return all.some((each) => each instanceof PrivateAddressError);
}
