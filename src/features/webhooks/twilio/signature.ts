import { createHmac, randomBytes } from 'node:crypto';

/** Twilio's auth tokens are 32 hexadecimal digits. */
const TOKEN_BYTES = 16;

/** A new auth token, for a webhook that was given none. */
export function newAuthToken(): string {
  return randomBytes(TOKEN_BYTES).toString('hex');
}

/** The fields of a form, each once. */
export type FormFields = Readonly<Record<string, string>>;

/**
 * The value of `X-Twilio-Signature`: over the URL that was configured, and behind it name and value of each field in the order
 * of the names (Twilio, "Webhooks security"). A fragment, in which Twilio's connection overrides stand, is not part of it: HTTP
 * never sends it, so that no receiver could tell it from its request.
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
