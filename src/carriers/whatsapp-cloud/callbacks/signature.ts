import { createHmac, timingSafeEqual } from 'node:crypto';

/** `sha256=` and 64 hexadecimal digits. */
const FORM = /^sha256=([0-9a-f]{64})$/i;

/** Whether a header has the form of a signature, so that reading the body is worth it. */
export function isSignature(header: unknown): header is string {
  return typeof header === 'string' && FORM.test(header);
}

/**
 * Whether `X-Hub-Signature-256` is that of the body: its HMAC-SHA256 under the app secret, over the bytes as they came
 * (Meta, "Webhooks: validating payloads"). Compared in constant time.
 */
export function isSignedBy(secret: string, body: Uint8Array, header: string): boolean {
  const given = FORM.exec(header)?.[1];
  if (given === undefined) return false;
  return timingSafeEqual(Buffer.from(given, 'hex'), createHmac('sha256', secret).update(body).digest());
}

/** The header that Meta sends with a body. */
export function signatureOf(secret: string, body: Uint8Array): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}
