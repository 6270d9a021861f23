import { createHmac } from 'node:crypto';
import { BlockList, isIP } from 'node:net';
import { isSameSecret } from '../../callbacks/same-secret.js';
import type { Verify } from '../plan.js';

/** Allowed clock difference. */
const TOLERANCE_SECONDS = 300;

export function requireAll(checks: readonly (Verify | null)[]): Verify | null {
  const presentChecks = checks.flatMap((check) => check ?? []);
  if (presentChecks.length === 0) return null;
  return (call, now) => {
    for (const check of presentChecks) {
      const problem = check(call, now);
      if (problem !== null) return problem;
    }
    return null;
  };
}

/** Refuses calls without a body, because anyone who knows the signature of an empty body could send any report in the query. */
export function overBody(check: Verify): Verify {
  return (call, now) => {
    const hasBody = call.method !== 'GET' && call.body.length > 0;
    return hasBody ? check(call, now) : 'must be a POST with a body, because its signature does not cover the query';
  };
}

export function bySecretInPath(secret: string): Verify {
  return ({ pathSecret }) =>
    pathSecret !== null && isSameSecret(pathSecret, secret) ? null : 'lacks the secret in its path';
}

export function byBasic(username: string, password: string): Verify {
  const expected = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  return ({ headers }) =>
    isSameSecret(headers.authorization ?? '', expected) ? null : 'lacks the user name and password';
}

export interface HmacOptions {
  header: string;
  secret: string | Buffer;
  algorithm: 'sha1' | 'sha256' | 'sha512';
  encoding: 'hex' | 'base64';
  prefix?: string;
}

export function byHmac({ header, secret, algorithm, encoding, prefix = '' }: HmacOptions): Verify {
  return overBody(({ headers, body }) => {
    const signature = headers[header.toLowerCase()];
    const expected = `${prefix}${createHmac(algorithm, secret).update(body).digest(encoding)}`;
    return typeof signature === 'string' && isSameSecret(signature, expected) ? null : 'is not signed with the secret';
  });
}

/**
 * Accepts addresses and networks such as `192.0.2.0/24`.
 * @throws {Error}
 */
export function byAddress(addresses: readonly string[]): Verify {
  const allowed = new BlockList();
  for (const entry of addresses) {
    const [address = '', length] = entry.split('/');
    const family = isIP(address);
    const bits = length === undefined ? (family === 4 ? 32 : 128) : Number(length);
    const isLength = Number.isInteger(bits) && bits >= 0 && bits <= (family === 4 ? 32 : 128);
    if (family === 0 || !isLength) throw new Error(`must contain only IP addresses and networks; ${entry} is neither`);
    allowed.addSubnet(address, bits, family === 4 ? 'ipv4' : 'ipv6');
  }
  return ({ ip }) => {
    const unmappedIp = ip.replace(/^::ffff:(?=\d+\.)/i, '');
    const family = isIP(unmappedIp);
    if (family !== 0 && allowed.check(unmappedIp, family === 4 ? 'ipv4' : 'ipv6')) return null;
    return 'comes from an IP address that is not the vendor’s';
  };
}

export function isRecent(seconds: number, now: Date): boolean {
  return Math.abs(now.getTime() / 1000 - seconds) <= TOLERANCE_SECONDS;
}
