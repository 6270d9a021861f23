import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
/** Standard Webhooks recommends secrets of 24 to 64 bytes. */
const SECRET_BYTES = 32;

/** Source: https://www.standardwebhooks.com, "Signature scheme". */
export function newSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

export interface SignedContent {
  /** Sent as `webhook-id`. */
  id: string;
  /** Seconds since 1970. */
  timestamp: number;
  body: string;
}

/**
 * Builds a signature `v1,<base64>` for each secret, separated by spaces. A receiver accepts a request if any of its
 * signatures is valid.
 */
export function sign(secrets: readonly string[], { id, timestamp, body }: SignedContent): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
    })
    .join(' ');
}
