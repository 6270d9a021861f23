import { createHmac, randomBytes } from 'node:crypto';

/** Twilio's auth tokens are 32 hexadecimal digits. */
const TOKEN_BYTES = 16;

export function newAuthToken(): string {
  return randomBytes(TOKEN_BYTES).toString('hex');
}

export type FormFields = Readonly<Record<string, string>>;

/**
 * Signs the URL, followed by the name and value of each field, sorted by name (Twilio, "Webhooks security"). The URL's
 * fragment is left out, because HTTP does not send it and a receiver could not verify it.
 */
export function computeTwilioSignature(authToken: string, url: string, fields: FormFields): string {
  const signedFields = Object.keys(fields)
    .sort()
    .map((name) => name + fields[name])
    .join('');
  return createHmac('sha1', authToken)
    .update(url.replace(/#.*$/s, '') + signedFields, 'utf8')
    .digest('base64');
}
