import { createHash, createHmac, createPublicKey, verify as verifySignature } from 'node:crypto';
import { isSameSecret } from '../../callbacks/same-secret.js';
import type { Verify } from '../plan.js';
import { parseForm } from './envelope.js';
import { isRecent, overBody } from './verify.js';

/**
 * Verifies HMAC-SHA1 over the URL and, for a form, its sorted fields. If the body is not a form, the query contains a hash of
 * the body (Twilio, "Validating requests"). Twilio signs some URLs with the default port and some without.
 */
export function byTwilio(authToken: string): Verify {
  return ({ url, headers, body }) => {
    const signature = headers['x-twilio-signature'];
    if (typeof signature !== 'string') return 'is not signed';
    const isForm = String(headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded');
    const hash = new URL(url).searchParams.get('bodySHA256');
    // Without a hash of the body, an attacker could move the fields of a signed form into the URL and send any body.
    if (hash === null && !isForm && body.length > 0) return 'is not signed with the auth token';
    if (hash !== null && !isSameSecret(hash.toLowerCase(), createHash('sha256').update(body).digest('hex'))) {
      return 'is not signed with the auth token';
    }
    const fields = isForm ? joinTwilioFields(parseForm(body.toString('utf8'))) : '';
    const isSigned = [url, addDefaultPort(url)].some((candidateUrl) =>
      isSameSecret(signature, createHmac('sha1', authToken).update(`${candidateUrl}${fields}`).digest('base64')),
    );
    return isSigned ? null : 'is not signed with the auth token';
  };
}

function joinTwilioFields(fields: Readonly<Record<string, string | string[]>>): string {
  const parts = Object.keys(fields)
    .sort()
    .flatMap((name) =>
      [...new Set([fields[name] as string | string[]].flat())].sort().map((value) => `${name}${value}`),
    );
  return parts.join('');
}

function addDefaultPort(url: string): string {
  const parsed = new URL(url);
  if (parsed.port !== '') return url;
  return url.replace(parsed.host, `${parsed.host}:${parsed.protocol === 'https:' ? 443 : 80}`);
}

/**
 * Verifies HMAC-SHA256 over the URL with sorted query, the sorted fields of a POST, and a nonce (Plivo V3, "Validating
 * requests"). The header contains one signature per auth token of the account.
 */
export function byPlivo(authToken: string): Verify {
  return ({ method, url, headers, body }) => {
    const nonce = headers['x-plivo-signature-v3-nonce'];
    const signatures = [headers['x-plivo-signature-v3'], headers['x-plivo-signature-ma-v3']].join(',');
    if (typeof nonce !== 'string' || signatures === ',') return 'is not signed';
    const signedText = `${method === 'GET' ? buildPlivoUrl(url, '') : buildPlivoUrl(url, joinPlivoFields(body))}.${nonce}`;
    const expected = createHmac('sha256', authToken).update(signedText).digest('base64');
    const isSigned = signatures.split(',').some((candidate) => isSameSecret(candidate.trim(), expected));
    return isSigned ? null : 'is not signed with the auth token';
  };
}

function buildPlivoUrl(url: string, fields: string): string {
  const parsed = new URL(url);
  const query = [...parsed.searchParams]
    .map(([name, value]) => ({ name, value }))
    .sort((a, b) => compareTexts(a.name, b.name) || compareTexts(a.value, b.value))
    .map(({ name, value }) => `${name}=${value}`)
    .join('&');
  const base = `${parsed.protocol}//${parsed.host}${parsed.pathname}`;
  if (query === '' && fields === '') return base;
  return `${base}?${query}${query !== '' && fields !== '' ? '.' : ''}${fields}`;
}

function joinPlivoFields(body: Buffer): string {
  const fields = parseForm(body.toString('utf8'));
  return Object.keys(fields)
    .sort()
    .flatMap((name) =>
      [fields[name] as string | string[]]
        .flat()
        .sort()
        .map((value) => `${name}${value}`),
    )
    .join('');
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Verifies Ed25519 over `timestamp|body` with the account's public key, 32 bytes in base64 (Telnyx, "Webhook signing"). */
export function byTelnyx(publicKey: string): Verify {
  // The key is parsed on first use, because stored settings may contain a secret reference instead of the key.
  const key = memoize(() => {
    const x = Buffer.from(publicKey, 'base64').toString('base64url');
    return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  });
  return overBody(({ headers, body }, now) => {
    const signature = headers['telnyx-signature-ed25519'];
    const timestamp = headers['telnyx-timestamp'];
    if (typeof signature !== 'string' || typeof timestamp !== 'string') return 'is not signed';
    if (!isRecent(Number(timestamp), now)) return 'is too old';
    const signedOctets = Buffer.concat([Buffer.from(`${timestamp}|`), body]);
    const isSigned = verifySignature(null, signedOctets, key(), Buffer.from(signature, 'base64'));
    return isSigned ? null : "is not signed with the account's key";
  });
}

/** Returns the claims of an HS256 token (RFC 7515), or null if the token is invalid. */
export function verifyToken(token: string, secret: string): Readonly<Record<string, unknown>> | null {
  const [head, payload, signature, ...rest] = token.split('.');
  if (!head || !payload || !signature || rest.length > 0) return null;
  try {
    const { alg } = JSON.parse(Buffer.from(head, 'base64url').toString('utf8')) as { alg?: unknown };
    const expected = createHmac('sha256', secret).update(`${head}.${payload}`).digest('base64url');
    if (alg !== 'HS256' || !isSameSecret(signature, expected)) return null;
    return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Record<string, unknown>;
  } catch {
    return null;
  }
}

/** Verifies a bearer token that contains a hash of the body (Vonage, "Signed webhooks"). */
export function byVonage(signatureSecret: string): Verify {
  return overBody(({ headers, body }, now) => {
    const token = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1];
    const claims = token === undefined ? null : verifyToken(token, signatureSecret);
    if (!claims) return 'is not signed with the signature secret';
    if (!isRecent(Number(claims.iat), now)) return 'is too old';
    const hash = createHash('sha256').update(body).digest('hex');
    if (claims.payload_hash !== hash) return 'is signed for another body';
    return null;
  });
}

/** Verifies a token that contains hashes of the URL and the body (MessageBird, "Verifying HTTP requests"). */
export function byMessageBird(signingKey: string): Verify {
  return ({ url, headers, body }, now) => {
    const token = headers['messagebird-signature-jwt'];
    const claims = typeof token === 'string' ? verifyToken(token, signingKey) : null;
    if (!claims) return 'is not signed with the signing key';
    const seconds = now.getTime() / 1000;
    if (Number(claims.exp) < seconds || Number(claims.nbf) > seconds + 60) return 'is too old';
    const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
    if (claims.url_hash !== sha256(url)) return 'is signed for another address';
    const isBodySigned = body.length === 0 ? claims.payload_hash === undefined : claims.payload_hash === sha256(body);
    return isBodySigned ? null : 'is signed for another body';
  };
}

function memoize<T>(create: () => T): () => T {
  let value: T | undefined;
  return () => {
    value ??= create();
    return value;
  };
}

/** Verifies HMAC-SHA256 over the body and `X-Timestamp`, in hex (SMSGate, "Webhooks"). */
export function bySmsGate(signingKey: string): Verify {
  return overBody(({ headers, body }, now) => {
    const signature = headers['x-signature'];
    const timestamp = headers['x-timestamp'];
    if (typeof signature !== 'string' || typeof timestamp !== 'string') return 'is not signed';
    const expected = createHmac('sha256', signingKey).update(body).update(timestamp).digest('hex');
    if (!isSameSecret(signature.toLowerCase(), expected)) return 'is not signed with the signing key';
    return isRecent(Number(timestamp), now) ? null : 'is too old';
  });
}

/**
 * Verifies HMAC-SHA256 over ID, timestamp and body (https://www.standardwebhooks.com, "Signature scheme"). The secret
 * is base64 after the prefix `whsec_`.
 */
export function byStandardWebhooks(secret: string): Verify {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return overBody(({ headers, body }, now) => {
    const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(
      (name) => headers[name],
    );
    if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string') {
      return 'is not signed';
    }
    const expected = `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
    if (!signatures.split(' ').some((candidate) => isSameSecret(candidate, expected)))
      return 'is not signed with the secret';
    return isRecent(Number(timestamp), now) ? null : 'is too old';
  });
}

/**
 * Verifies an HMAC over the other fields, sorted by name, as `&name=value`. In values, `_` replaces `&` and `=`
 * (Vonage, "Signing messages", method SHA-256 HMAC).
 */
export function byVonageSms(signatureSecret: string): Verify {
  return ({ url, headers, body }, now) => {
    const isJson = String(headers['content-type'] ?? '').startsWith('application/json');
    const fields =
      body.length === 0 ? parseForm(new URL(url, 'http://localhost').search) : parseBodyFields(body, isJson);
    const { sig, message: _ours, ...signedFields } = fields;
    if (typeof sig !== 'string') return 'is not signed';
    const text = Object.keys(signedFields)
      .sort()
      .map((name) => `&${name}=${String(signedFields[name]).replace(/[&=]/g, '_')}`)
      .join('');
    const expected = createHmac('sha256', signatureSecret).update(text).digest('hex');
    if (!isSameSecret(sig.toLowerCase(), expected)) return 'is not signed with the signature secret';
    return signedFields.timestamp === undefined || isRecent(Number(signedFields.timestamp), now) ? null : 'is too old';
  };
}

function parseBodyFields(body: Buffer, isJson: boolean): Readonly<Record<string, unknown>> {
  if (!isJson) return parseForm(body.toString('utf8'));
  try {
    return JSON.parse(body.toString('utf8')) as Record<string, unknown>;
  } catch {
    return {};
  }
}
