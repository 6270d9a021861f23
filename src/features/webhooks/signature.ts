import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
/** The recommendation of Standard Webhooks is 24 to 64 bytes. */
const SECRET_BYTES = 32;

/** A new signing secret, `whsec_` and base64 (https://www.standardwebhooks.com, "Signature scheme"). */
export function newSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

export interface SignedContent {
  /** The value of `webhook-id`. */
  id: string;
  /** Seconds since 1970, the value of `webhook-timestamp`. */
  timestamp: number;
  body: string;
}

/**
 * The value of `webhook-signature`: one `v1,<base64>` for each secret, separated by spaces, so that a receiver which
 * knows either of two secrets accepts it.
 */
export function sign(secrets: readonly string[], { id, timestamp, body }: SignedContent): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
    })
    .join(' ');
}
