import { isIP } from 'node:net';
import { invalidField } from '../../platform/errors/app-error.js';
import { isLocalName, isPublicAddress } from '../../platform/net/addresses.js';

const ALLOW_PRIVATE_HINT = 'for trials, set WEBHOOK_ALLOW_PRIVATE=true';

/** Longer URLs exceed the limits of some servers and proxies. */
export const MAX_URL_LENGTH = 2_048;

export interface UrlRules {
  /** WEBHOOK_ALLOW_PRIVATE. */
  allowPrivate: boolean;
  /** Named in errors. */
  field?: string;
}

/**
 * The host is not resolved here, because its address may change and is checked at every connection.
 * @throws {AppError} INVALID_REQUEST naming the field
 */
export function checkWebhookUrl(text: string, { allowPrivate, field = 'url' }: UrlRules): void {
  if (text.length > MAX_URL_LENGTH) throw invalidField(field, `must have at most ${MAX_URL_LENGTH} characters`);
  if (!/^https?:\/\/\S+$/i.test(text) || !URL.canParse(text)) throw invalidField(field, 'must be an http or https URL');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') throw invalidField(field, 'must not contain a user name or password');
  if (!allowPrivate && (isLocalName(url.hostname) || isPrivateLiteral(getHost(url)))) {
    throw invalidField(field, `must not name a private address; ${ALLOW_PRIVATE_HINT}`);
  }
}

/** Returns the host without the brackets of an IPv6 address, as resolvers need it. */
export function getHost(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1');
}

/** `URL` normalizes every form of an IPv4 address to decimal (https://url.spec.whatwg.org/#concept-ipv4-parser). */
function isPrivateLiteral(host: string): boolean {
  return isIP(host) !== 0 && !isPublicAddress(host);
}
