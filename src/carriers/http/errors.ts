import { CarrierError } from '../carrier-error.js';
import { type HttpAnswer, NoResponseError } from './client.js';
import { isPrivateAddressError } from './private-hosts.js';

/**
 * Converts the failure of a call to a CarrierError. If the request may have arrived, so may the message.
 * @param error from `HttpClient.call`; other errors are rethrown
 * @param carrier name in the error text, e.g. `Meta`
 */
export function toCarrierError(error: unknown, carrier: string): CarrierError {
  if (!(error instanceof NoResponseError)) throw error;
  if (isPrivateAddressError(error.cause)) {
    const text = `The host of ${carrier} has a private address; to allow it, add the host to CARRIER_PRIVATE_HOSTS.`;
    return CarrierError.unavailable('PRIVATE_ADDRESS', text, { cause: error });
  }
  if (!error.mayHaveArrived) {
    return CarrierError.unavailable('UNREACHABLE', `${carrier} cannot be reached (${error.code}).`, { cause: error });
  }
  const text = `${carrier} did not answer (${error.code}); it may have accepted the message.`;
  return CarrierError.answerLost(text, { cause: error });
}

/** A response in an unknown format, perhaps from a proxy. Only a status that refuses the request settles the outcome. */
export function unknownFormatError({ status }: Pick<HttpAnswer, 'status'>, carrier: string): CarrierError {
  const text = `The response (HTTP status ${status}) is not in ${carrier}'s format.`;
  const refused = status >= 300 && status < 500;
  return refused
    ? CarrierError.refused('BAD_ANSWER', text, { retryable: true })
    : CarrierError.answerLost(text, { code: 'BAD_ANSWER' });
}

/** Limit on requested pauses: a mistake such as milliseconds instead of seconds would stop a carrier for months. */
const LONGEST_WISH_MS = 3_600_000;

/** Limits the pause that a server asks for. */
export function limitPauseMs(requestedMs: number): number {
  return Math.min(Math.max(0, requestedMs), LONGEST_WISH_MS);
}

/** Parses `Retry-After`, in seconds or as a date (RFC 9110, 10.2.3). At most an hour; null if absent. */
export function retryAfterMs({ headers }: Pick<HttpAnswer, 'headers'>, now: Date): number | null {
  const value = String(headers['retry-after'] ?? '');
  if (/^\d+$/.test(value)) return limitPauseMs(Number(value) * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : limitPauseMs(date - now.getTime());
}
