import { PrivateAddressError } from '../../platform/net/public-connector.js';

export function readPrivateHosts(env: NodeJS.ProcessEnv): string[] {
  return (env.CARRIER_PRIVATE_HOSTS ?? '')
    .split(',')
    .map((host) => host.trim())
    .filter((host) => host !== '');
}

export function isPrivateAddressError(error: unknown): boolean {
  const errors = [error, ...(error instanceof AggregateError ? error.errors : [])];
  return errors.some((candidate) => candidate instanceof PrivateAddressError);
}
