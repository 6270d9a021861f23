import { isIP } from 'node:net';
import { invalidField } from '../../platform/errors/app-error.js';
import { isLocalName, isPublicAddress } from '../../platform/net/addresses.js';

/** What lets private addresses be called. */
const ALLOW_PRIVATE_HINT = 'for trials, WEBHOOK_ALLOW_PRIVATE=true of the server allows it';

/** Characters of a URL; longer ones meet limits of servers and proxies. */
export const MAX_URL_LENGTH = 2_048;

export interface UrlRules {
  /** Whether private addresses may be called (WEBHOOK_ALLOW_PRIVATE). */
  allowPrivate: boolean;
  /** What the request calls it; `url` unless told. */
  field?: string;
}

/**
 * Checks the URL of a webhook before it is stored. A name is not looked up: what it resolves to may change at any time,
 * and counts when a connection is made.
 * @throws {AppError} INVALID_REQUEST naming the field
 */
export function checkWebhookUrl(text: string, { allowPrivate, field = 'url' }: UrlRules): void {
  if (text.length > MAX_URL_LENGTH) throw invalidField(field, `must have at most ${MAX_URL_LENGTH} characters`);
  if (!/^https?:\/\/\S+$/i.test(text) || !URL.canParse(text)) throw invalidField(field, 'must be an http or https URL');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') throw invalidField(field, 'must not hold a user name or password');
  if (!allowPrivate && (isLocalName(url.hostname) || isPrivateLiteral(hostOf(url)))) {
    throw invalidField(field, `must not name a private address; ${ALLOW_PRIVATE_HINT}`);
  }
}

/** The host of a URL as a resolver takes it: an IPv6 address without its brackets. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1');
}

/** URLs write IPv4 addresses in decimal, whatever form was given (https://url.spec.whatwg.org/#concept-ipv4-parser). */
function isPrivateLiteral(host: string): boolean {
  return isIP(host) !== 0 && !isPublicAddress(host);
}
