import { createHmac, randomBytes } from 'node:crypto';

/** Twilio's auth tokens are 32 hexadecimal digits. */
const TOKEN_BYTES = 16;

/** Generates an auth token for a webhook that was created without one. */
export function newAuthToken(): string {
  return randomBytes(TOKEN_BYTES).toString('hex');
}

/** The fields of a form. Each occurs once. */
export type FormFields = Readonly<Record<string, string>>;

/**
 * Computes the value of `X-Twilio-Signature` from the configured URL, followed by name and value of each field, sorted by name
 * (Twilio, "Webhooks security"). The fragment of the URL, which may contain Twilio's connection overrides, is left out: HTTP
 * does not send it, so a receiver could not verify it.
 */
export function twilioSignature(authToken: string, url: string, fields: FormFields): string {
  const signed = Object.keys(fields)
    .sort()
    .map((name) => name + fields[name])
    .join('');
  return createHmac('sha1', authToken)
    .update(url.replace(/#.*$/s, '') + signed, 'utf8')
    .digest('base64');
}
