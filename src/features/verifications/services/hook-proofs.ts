import { createHmac, hash, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { isSameSecret } from '../../../carriers/callbacks/same-secret.js';
import { verifyToken } from '../../../carriers/http-api/callbacks/signatures.js';
import { isRecent } from '../../../carriers/http-api/callbacks/verify.js';
import { invalidField } from '../../../platform/errors/app-error.js';
import type { SignInService, SignInServiceType } from '../../../platform/generated/prisma/client.js';
import { newSecret, sign } from '../../webhooks/signature.js';

export type HookType = Exclude<SignInServiceType, 'verify'>;

/** Contains the plain secret if the login system signs its calls, and otherwise only a hash. */
export type StoredSecret = Pick<SignInService, 'secret' | 'secretHash'>;

export interface HookCall {
  headers: IncomingHttpHeaders;
  body: Buffer;
}

interface Proof {
  /** Whether the login system signs calls instead of sending its secret. */
  signs: boolean;
  /** Generates a secret; null if only the login system can generate one. */
  generate: (() => string) | null;
  parse(input: string): string | null;
  /** Returns a sentence that names a missing or malformed header, or null. */
  describeHeaderProblem(headers: IncomingHttpHeaders): string | null;
  isProven(stored: StoredSecret, call: HookCall, now: Date): boolean;
}

const MIN_SECRET_LENGTH = 16;
const parseOpaque = (input: string) =>
  input.length >= MIN_SECRET_LENGTH && /^[\x21-\x7e]+$/.test(input) ? input : null;
const generateOpaque = () => randomBytes(32).toString('base64url');

/** Accepts HTTP Basic with any user name, or a bearer token. */
const SECRET_IN_HEADER: Proof = {
  signs: false,
  generate: generateOpaque,
  parse: parseOpaque,
  describeHeaderProblem: ({ authorization }) =>
    checkHeader(
      'Authorization',
      authorization,
      (value) => extractSecret(value) !== null,
      '"Bearer" or "Basic" with the secret',
    ),
  isProven: ({ secretHash }, { headers }) => {
    const secret = extractSecret(headers.authorization);
    return secret !== null && secretHash !== null && isSameSecret(toHex(sha256(secret)), toHex(secretHash));
  },
};

const PROOFS: Readonly<Record<HookType, Proof>> = {
  /** Supabase signs calls as in Standard Webhooks: HMAC-SHA256 over `id.timestamp.body` ("Send SMS Hook"). */
  supabase: {
    signs: true,
    generate: newSecret,
    parse: (input) => /^(?:v1,)?(whsec_[A-Za-z0-9+/]{24,}={0,2})$/.exec(input)?.[1] ?? null,
    describeHeaderProblem: ({ 'webhook-id': id, 'webhook-timestamp': sentAt, 'webhook-signature': signature }) =>
      checkHeader('webhook-id', id) ??
      checkHeader('webhook-timestamp', sentAt, (value) => /^\d+$/.test(value), 'a Unix time in seconds') ??
      checkHeader(
        'webhook-signature',
        signature,
        (value) => /(?:^| )v1,\S/.test(value),
        '"v1," and a signature in base64',
      ),
    isProven: ({ secret }, { headers, body }, now) => {
      const { 'webhook-id': id, 'webhook-timestamp': sentAt, 'webhook-signature': signature } = headers;
      if (secret === null || typeof id !== 'string' || typeof sentAt !== 'string' || typeof signature !== 'string')
        return false;
      const timestamp = Number(sentAt);
      if (!/^\d+$/.test(sentAt) || !isRecent(timestamp, now)) return false;
      const expected = sign([secret], { id, timestamp, body: body.toString('utf8') });
      return signature.split(' ').some((each) => isSameSecret(each, expected));
    },
  },
  /**
   * Auth0's SMS gateway sends a JSON Web Token signed with HS256 (`gateway_authentication`), and an Action sends the
   * secret itself. https://auth0.com/docs/authenticate/passwordless/authentication-methods/use-sms-gateway-passwordless
   */
  auth0: {
    signs: true,
    generate: generateOpaque,
    parse: parseOpaque,
    describeHeaderProblem: ({ authorization }) =>
      checkHeader('Authorization', authorization, (value) => extractToken(value) !== undefined, '"Bearer" and a token'),
    isProven: ({ secret }, { headers }, now) => {
      const token = extractToken(headers.authorization);
      if (secret === null || token === undefined) return false;
      if (isSameSecret(token, secret)) return true;
      const claims = verifyToken(token, secret);
      return claims !== null && isGatewayToken(claims) && isValidNow(claims, now);
    },
  },
  /** ZITADEL sends `t=<seconds>,v1=<hex>`, an HMAC-SHA256 over `t.body` ("Verify Payload Integrity"). */
  zitadel: {
    signs: true,
    generate: null,
    parse: parseOpaque,
    describeHeaderProblem: ({ 'zitadel-signature': signature }) =>
      checkHeader(
        'ZITADEL-Signature',
        signature,
        (value) => /(?:^|,)t=\d/.test(value) && /(?:^|,)v1=./.test(value),
        '"t=<Unix time in seconds>,v1=<signature in hex>"',
      ),
    isProven: ({ secret }, { headers, body }, now) => {
      const parts = String(headers['zitadel-signature'] ?? '').split(',');
      const sentAt = parts.find((each) => each.startsWith('t='))?.slice(2) ?? '';
      if (secret === null || !/^\d+$/.test(sentAt) || !isRecent(Number(sentAt), now)) return false;
      const expected = createHmac('sha256', secret).update(`${sentAt}.`).update(body).digest('hex');
      return parts.some((each) => each.startsWith('v1=') && isSameSecret(each.slice(3), expected));
    },
  },
  authentik: SECRET_IN_HEADER,
  keycloak: SECRET_IN_HEADER,
  fusionauth: SECRET_IN_HEADER,
};

/** Required audience and subject, which exclude tokens that Auth0 issued for another purpose with the same secret. */
const [AUDIENCE, SUBJECT] = ['urn:Heliograph', 'urn:Auth0'];
/** Tolerated clock skew. */
const LEEWAY_SECONDS = 60;

/** Any string is accepted as `iss`, because Auth0 does not document the issuer. */
function isGatewayToken({ aud, sub, iss }: Readonly<Record<string, unknown>>): boolean {
  const hasAudience = (Array.isArray(aud) ? aud : [aud]).includes(AUDIENCE);
  return hasAudience && sub === SUBJECT && (iss === undefined || typeof iss === 'string');
}

/** A token without `exp` would stay valid forever (RFC 7519 §4.1.4 to §4.1.6). */
function isValidNow({ exp, nbf, iat }: Readonly<Record<string, unknown>>, now: Date): boolean {
  const seconds = now.getTime() / 1000;
  const isPast = (moment: unknown) =>
    moment === undefined || (typeof moment === 'number' && moment <= seconds + LEEWAY_SECONDS);
  return typeof exp === 'number' && exp > seconds && isPast(nbf) && isPast(iat);
}

export const HOOK_TYPES = Object.keys(PROOFS) as HookType[];

export function isHook(type: SignInServiceType): type is HookType {
  return type !== 'verify';
}

/**
 * Generates a secret if `input` is undefined. Returns null if only the login system can create the secret, in which
 * case the hook rejects calls.
 * @throws {AppError} INVALID_REQUEST if the secret does not fit the login system
 */
export function chooseSecret(type: HookType, input: string | undefined): string | null {
  const { generate, parse } = PROOFS[type];
  if (input === undefined) return generate?.() ?? null;
  const secret = parse(input.trim());
  if (secret !== null) return secret;
  const rule =
    type === 'supabase'
      ? 'must be v1,whsec_ followed by base64, as shown by Supabase'
      : `must be at least ${MIN_SECRET_LENGTH} printable characters without spaces`;
  throw invalidField('secret', rule);
}

export function toStoredSecret(type: HookType, secret: string | null): StoredSecret {
  if (secret === null) return { secret: null, secretHash: null };
  return PROOFS[type].signs ? { secret, secretHash: null } : { secret: null, secretHash: sha256(secret) };
}

export function formatSecret(type: HookType, secret: string): string {
  return type === 'supabase' ? `v1,${secret}` : secret;
}

export function isProven(type: HookType, secret: StoredSecret, call: HookCall, now: Date): boolean {
  return PROOFS[type].isProven(secret, call, now);
}

export function describeHeaderProblem(type: HookType, headers: IncomingHttpHeaders): string | null {
  return PROOFS[type].describeHeaderProblem(headers);
}

/** @param form describes the expected value */
function checkHeader(
  name: string,
  value: string | string[] | undefined,
  isWellFormed: (value: string) => boolean = () => true,
  form = 'sent once',
): string | null {
  if (value === undefined || value === '') return `The header ${name} is missing or empty.`;
  return typeof value === 'string' && isWellFormed(value) ? null : `The header ${name} must be ${form}.`;
}

function extractToken(authorization = ''): string | undefined {
  return /^bearer +(\S+) *$/i.exec(authorization)?.[1];
}

function extractSecret(authorization = ''): string | null {
  const [, scheme = '', value = ''] = /^(basic|bearer) +(\S+) *$/i.exec(authorization) ?? [];
  if (scheme.toLowerCase() !== 'basic') return value || null;
  const decoded = Buffer.from(value, 'base64').toString('utf8');
  return decoded.slice(decoded.indexOf(':') + 1) || null;
}

function sha256(secret: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(hash('sha256', secret, 'buffer'));
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
