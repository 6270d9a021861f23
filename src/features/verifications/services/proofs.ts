import { createHmac, hash, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isSameSecret } from '../../../carriers/callbacks/same-secret.js';
import { claimsOf } from '../../../carriers/http-api/callbacks/signatures.js';
import { isRecent } from '../../../carriers/http-api/callbacks/verify.js';
import { invalidField } from '../../../platform/errors/app-error.js';
import type { SignInService, SignInServiceType } from '../../../platform/generated/prisma/client.js';
import { newSecret, sign } from '../../webhooks/signature.js';

/** A login system that calls a hook. */
export type HookType = Exclude<SignInServiceType, 'verify'>;

/** How a secret is kept: as it is where it signs, else as a hash. */
export type KeptSecret = Pick<SignInService, 'secret' | 'secretHash'>;

/** A call of a hook, as far as it proves who calls. */
export interface HookCall {
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** How a login system proves that it is itself. */
interface Proof {
  /** Whether it signs with its secret; else it sends it along. */
  signs: boolean;
  /** A new secret; null where only the login system makes one. */
  make: (() => string) | null;
  /** Reads a secret as people copy it from the login system; null for none. */
  read(given: string): string | null;
  /** Which header is missing or malformed, as a sentence; null where none is. It depends on no secret. */
  headerProblem(headers: IncomingHttpHeaders): string | null;
  isProven(kept: KeptSecret, call: HookCall, now: Date): boolean;
}

/** Characters that a secret of somebody else has at the least. */
const SHORTEST = 16;
const opaque = (given: string) => (given.length >= SHORTEST && /^[\x21-\x7e]+$/.test(given) ? given : null);
const makeOpaque = () => randomBytes(32).toString('base64url');

/** HTTP Basic with any user name, or a bearer token. */
const SENT_ALONG: Proof = {
  signs: false,
  make: makeOpaque,
  read: opaque,
  headerProblem: ({ authorization }) =>
    problemOf('Authorization', authorization, (value) => sentIn(value) !== null, '"Bearer" or "Basic" with the secret'),
  isProven: ({ secretHash }, { headers }) => {
    const sent = sentIn(headers.authorization);
    return sent !== null && secretHash !== null && isSameSecret(hexOf(hashOf(sent)), hexOf(secretHash));
  },
};

const PROOFS: Readonly<Record<HookType, Proof>> = {
  /** Standard Webhooks: HMAC-SHA256 over `id.timestamp.body` (Supabase, "Send SMS Hook"). */
  supabase: {
    signs: true,
    make: newSecret,
    read: (given) => /^(?:v1,)?(whsec_[A-Za-z0-9+/]{24,}={0,2})$/.exec(given)?.[1] ?? null,
    headerProblem: ({ 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': given }) =>
      problemOf('webhook-id', id) ??
      problemOf('webhook-timestamp', at, (value) => /^\d+$/.test(value), 'a Unix time in seconds') ??
      problemOf('webhook-signature', given, (value) => /(?:^| )v1,\S/.test(value), '"v1," and a signature in base64'),
    isProven: ({ secret }, { headers, body }, now) => {
      const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': given } = headers;
      if (secret === null || typeof id !== 'string' || typeof at !== 'string' || typeof given !== 'string')
        return false;
      const timestamp = Number(at);
      if (!/^\d+$/.test(at) || !isRecent(timestamp, now)) return false;
      const wanted = sign([secret], { id, timestamp, body: body.toString('utf8') });
      return given.split(' ').some((each) => isSameSecret(each, wanted));
    },
  },
  /**
   * A JSON Web Token signed by HS256, as the gateway of passwordless SMS has it, with the subject and the audience of
   * `gateway_authentication` (https://auth0.com/docs/authenticate/passwordless/authentication-methods/use-sms-gateway-passwordless,
   * "Authenticated requests"); or the secret itself as an Action sends it.
   */
  auth0: {
    signs: true,
    make: makeOpaque,
    read: opaque,
    headerProblem: ({ authorization }) =>
      problemOf('Authorization', authorization, (value) => tokenIn(value) !== undefined, '"Bearer" and a token'),
    isProven: ({ secret }, { headers }, now) => {
      const token = tokenIn(headers.authorization);
      if (secret === null || token === undefined) return false;
      if (isSameSecret(token, secret)) return true;
      const claims = claimsOf(token, secret);
      return claims !== null && isForUs(claims) && isInForce(claims, now);
    },
  },
  /** `t=<seconds>,v1=<hex>`: HMAC-SHA256 over `t.body` (ZITADEL, "Verify Payload Integrity"). */
  zitadel: {
    signs: true,
    make: null,
    read: opaque,
    headerProblem: ({ 'zitadel-signature': given }) =>
      problemOf(
        'ZITADEL-Signature',
        given,
        (value) => /(?:^|,)t=\d/.test(value) && /(?:^|,)v1=./.test(value),
        '"t=<Unix time in seconds>,v1=<signature in hex>"',
      ),
    isProven: ({ secret }, { headers, body }, now) => {
      const parts = String(headers['zitadel-signature'] ?? '').split(',');
      const at = parts.find((each) => each.startsWith('t='))?.slice(2) ?? '';
      if (secret === null || !/^\d+$/.test(at) || !isRecent(Number(at), now)) return false;
      const wanted = createHmac('sha256', secret).update(`${at}.`).update(body).digest('hex');
      return parts.some((each) => each.startsWith('v1=') && isSameSecret(each.slice(3), wanted));
    },
  },
  authentik: SENT_ALONG,
  keycloak: SENT_ALONG,
  fusionauth: SENT_ALONG,
};

/** What tokens are to name, so that one that Auth0 made for somebody else by the same secret is none for here. */
const [AUDIENCE, SUBJECT] = ['urn:Heliograph', 'urn:Auth0'];
/** By which clocks may differ. */
const LEEWAY_SECONDS = 60;

/** Who issued a token is said by no document of Auth0, and told by the secret alone: whatever it names is only to be a text. */
function isForUs({ aud, sub, iss }: Readonly<Record<string, unknown>>): boolean {
  const isNamed = (Array.isArray(aud) ? aud : [aud]).includes(AUDIENCE);
  return isNamed && sub === SUBJECT && (iss === undefined || typeof iss === 'string');
}

/** A token without an end would be one for ever to whoever has seen it (RFC 7519 §4.1.4 to §4.1.6). */
function isInForce({ exp, nbf, iat }: Readonly<Record<string, unknown>>, now: Date): boolean {
  const seconds = now.getTime() / 1000;
  const isPast = (moment: unknown) =>
    moment === undefined || (typeof moment === 'number' && moment <= seconds + LEEWAY_SECONDS);
  return typeof exp === 'number' && exp > seconds && isPast(nbf) && isPast(iat);
}

/** The login systems that call hooks. */
export const HOOK_TYPES = Object.keys(PROOFS) as HookType[];

/** Whether a service is a hook, and not Twilio's Verify API. */
export function isHook(type: SignInServiceType): type is HookType {
  return type !== 'verify';
}

/**
 * The secret of a hook: the one that was copied from the login system, else a new one.
 * @returns null where the login system alone makes one and none was given: the hook takes nothing until it has it
 * @throws {AppError} INVALID_REQUEST for one that the login system would not have
 */
export function secretFor(type: HookType, given: string | undefined): string | null {
  const { make, read } = PROOFS[type];
  if (given === undefined) return make?.() ?? null;
  const secret = read(given.trim());
  if (secret !== null) return secret;
  const rule =
    type === 'supabase'
      ? 'must be v1,whsec_ and base64, as Supabase shows it'
      : `must be at least ${SHORTEST} printable characters without blanks`;
  throw invalidField('secret', rule);
}

/** How a secret is kept. */
export function kept(type: HookType, secret: string | null): KeptSecret {
  if (secret === null) return { secret: null, secretHash: null };
  return PROOFS[type].signs ? { secret, secretHash: null } : { secret: null, secretHash: hashOf(secret) };
}

/** A secret as the login system wants it written. */
export function shownSecret(type: HookType, secret: string): string {
  return type === 'supabase' ? `v1,${secret}` : secret;
}

/** Whether a call is one of the login system. */
export function isProven(type: HookType, secret: KeptSecret, call: HookCall, now: Date): boolean {
  return PROOFS[type].isProven(secret, call, now);
}

/** Which header of a call is missing or malformed, as a sentence; null where none is. */
export function describeHeaders(type: HookType, headers: IncomingHttpHeaders): string | null {
  return PROOFS[type].headerProblem(headers);
}

/** @param form what the header must be, in words */
function problemOf(
  name: string,
  value: string | string[] | undefined,
  isWellFormed: (value: string) => boolean = () => true,
  form = 'sent once',
): string | null {
  if (value === undefined || value === '') return `The header ${name} is missing or empty.`;
  return typeof value === 'string' && isWellFormed(value) ? null : `The header ${name} must be ${form}.`;
}

function tokenIn(authorization = ''): string | undefined {
  return /^bearer +(\S+) *$/i.exec(authorization)?.[1];
}

function sentIn(authorization = ''): string | null {
  const [, scheme = '', value = ''] = /^(basic|bearer) +(\S+) *$/i.exec(authorization) ?? [];
  if (scheme.toLowerCase() !== 'basic') return value || null;
  const decoded = Buffer.from(value, 'base64').toString('utf8');
  return decoded.slice(decoded.indexOf(':') + 1) || null;
}

function hashOf(secret: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(hash('sha256', secret, 'buffer'));
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
