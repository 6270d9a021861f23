import { createHmac, timingSafeEqual } from 'node:crypto';

const SIGNATURE_FORMAT = /^sha256=([0-9a-f]{64})$/i;

/** Requests without a signature header are rejected before their body is read. */
export function isSignatureHeader(header: unknown): header is string {
  return typeof header === 'string' && SIGNATURE_FORMAT.test(header);
}

/** Verifies HMAC-SHA256 over the raw bytes with the app secret, in constant time (Meta, "Webhooks: validating payloads"). */
export function hasValidSignature(secret: string, body: Uint8Array, header: string): boolean {
  const signature = SIGNATURE_FORMAT.exec(header)?.[1];
  if (signature === undefined) return false;
  return timingSafeEqual(Buffer.from(signature, 'hex'), createHmac('sha256', secret).update(body).digest());
}

export function signBody(secret: string, body: Uint8Array): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}
