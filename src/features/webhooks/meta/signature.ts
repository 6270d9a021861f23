import { createHmac, randomBytes } from 'node:crypto';

/** Meta's app secrets are 32 hexadecimal digits. */
const SECRET_BYTES = 16;

export function newAppSecret(): string {
  return randomBytes(SECRET_BYTES).toString('hex');
}

/** The value of `X-Hub-Signature-256` (Meta, "Webhooks", "Validating payloads"). */
export function computeHubSignature(appSecret: string, body: string): string {
  return `sha256=${createHmac('sha256', appSecret).update(body).digest('hex')}`;
}
