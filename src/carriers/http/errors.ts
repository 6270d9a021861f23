import { CarrierError } from '../carrier-error.js';
import { type HttpAnswer, NoResponseError } from './client.js';
import { isPrivateAddressError } from './private-hosts.js';

/**
 * If the request may have reached the carrier, the CarrierError states that the message may have been sent. Errors other than
 * `NoResponseError` are rethrown.
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

/** If a response has an unexpected format, only its HTTP status can prove that the message was not accepted. */
export function createFormatError({ status }: Pick<HttpAnswer, 'status'>, carrier: string): CarrierError {
  const text = `The response (HTTP status ${status}) is not in ${carrier}'s format.`;
  const isRefused = status >= 300 && status < 500;
  return isRefused
    ? CarrierError.refused('BAD_ANSWER', text, { retryable: true })
    : CarrierError.answerLost(text, { code: 'BAD_ANSWER' });
}

/**
 * The pause is limited, because a vendor's mistake, such as milliseconds instead of seconds, would stop a carrier for months.
 */
const MAX_RETRY_AFTER_MS = 3_600_000;

export function limitPauseMs(requestedMs: number): number {
  return Math.min(Math.max(0, requestedMs), MAX_RETRY_AFTER_MS);
}

/** Reads `Retry-After` (RFC 9110, 10.2.3), limited to an hour. */
export function readRetryAfterMs({ headers }: Pick<HttpAnswer, 'headers'>, now: Date): number | null {
  const value = String(headers['retry-after'] ?? '');
  if (/^\d+$/.test(value)) return limitPauseMs(Number(value) * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : limitPauseMs(date - now.getTime());
}
