import { domainToASCII } from 'node:url';
import { invalidField } from '../../../platform/errors/app-error.js';

/** A longer domain would leave little room for the text of an SMS. */
const MAX_LENGTH = 100;
/** Characters that separate the parts of a URL, after which `domainToASCII` ignores the rest. */
const SEPARATOR = /[\s/:?#@\\]/;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** An IP address ends with a number, a domain never does. */
const LAST_LABEL = /^(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/;
/** Domains that are never in the public DNS (RFC 6761, RFC 6762, RFC 9476). */
const LOCAL = new Set(['localhost', 'local', 'internal', 'test', 'invalid', 'alt', 'onion', 'arpa']);

/**
 * Returns the domain in lower case and in ASCII (RFC 5890).
 * @throws {AppError} INVALID_REQUEST
 */
export function checkHost(written: string): string {
  const trimmed = written.trim();
  const host = SEPARATOR.test(trimmed) ? '' : domainToASCII(trimmed.toLowerCase());
  const labels = host.split('.');
  const last = labels.at(-1) ?? '';
  const isDomain =
    host.length <= MAX_LENGTH &&
    labels.length >= 2 &&
    labels.every((label) => LABEL.test(label)) &&
    LAST_LABEL.test(last) &&
    !LOCAL.has(last);
  if (isDomain) return host;
  throw invalidField('host', `must be a domain of at most ${MAX_LENGTH} characters, such as go.example.com`);
}
