import { createHmac } from 'node:crypto';
import { BlockList, isIP } from 'node:net';
import { isSameSecret } from '../../callbacks/same-secret.js';
import type { Verify } from '../plan.js';

/** Calls that say when they were made may be so old, or so far ahead, in seconds. */
const TOLERANCE_SECONDS = 300;

/** Where all of some checks must pass; null where there is none. */
export function allOf(checks: readonly (Verify | null)[]): Verify | null {
  const present = checks.flatMap((check) => check ?? []);
  if (present.length === 0) return null;
  return (call, now) => {
    for (const check of present) {
      const problem = check(call, now);
      if (problem !== null) return problem;
    }
    return null;
  };
}

/**
 * A signature over the body alone. It says nothing about a query, so a call without a body is refused: whoever has seen one
 * signature of an empty body could report anything in the query.
 */
export function overBody(check: Verify): Verify {
  return (call, now) => {
    const hasBody = call.method !== 'GET' && call.body.length > 0;
    return hasBody ? check(call, now) : 'must be a POST with a body, because its signature does not cover the query';
  };
}

/** The path ends with a secret. */
export function bySecretInPath(secret: string): Verify {
  return ({ pathSecret }) =>
    pathSecret !== null && isSameSecret(pathSecret, secret) ? null : 'has not the secret in its path';
}

/** HTTP Basic. */
export function byBasic(username: string, password: string): Verify {
  const wanted = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  return ({ headers }) =>
    isSameSecret(headers.authorization ?? '', wanted) ? null : 'has not the user name and password';
}

export interface HmacOptions {
  header: string;
  secret: string | Buffer;
  algorithm: 'sha1' | 'sha256' | 'sha512';
  encoding: 'hex' | 'base64';
  /** Before the signature, e.g. `sha256=`. */
  prefix?: string;
}

/** A header is the HMAC of the body, which must not be empty. */
export function byHmac({ header, secret, algorithm, encoding, prefix = '' }: HmacOptions): Verify {
  return overBody(({ headers, body }) => {
    const given = headers[header.toLowerCase()];
    const wanted = `${prefix}${createHmac(algorithm, secret).update(body).digest(encoding)}`;
    return typeof given === 'string' && isSameSecret(given, wanted) ? null : 'is not signed with the secret';
  });
}

/**
 * The call comes from one of some addresses.
 * @param list addresses and networks such as `192.0.2.0/24`
 * @throws {Error} for one that is neither
 */
export function byAddress(list: readonly string[]): Verify {
  const allowed = new BlockList();
  for (const each of list) {
    const [address = '', length] = each.split('/');
    const family = isIP(address);
    const bits = length === undefined ? (family === 4 ? 32 : 128) : Number(length);
    const isLength = Number.isInteger(bits) && bits >= 0 && bits <= (family === 4 ? 32 : 128);
    if (family === 0 || !isLength) throw new Error(`${each} is no address and no network`);
    allowed.addSubnet(address, bits, family === 4 ? 'ipv4' : 'ipv6');
  }
  return ({ ip }) => {
    const plain = ip.replace(/^::ffff:(?=\d+\.)/i, '');
    const family = isIP(plain);
    if (family !== 0 && allowed.check(plain, family === 4 ? 'ipv4' : 'ipv6')) return null;
    return 'comes from an address that is not the vendor’s';
  };
}

/** Whether a moment, in seconds since 1970, lies close to now. */
export function isRecent(seconds: number, now: Date): boolean {
  return Math.abs(now.getTime() / 1000 - seconds) <= TOLERANCE_SECONDS;
}
