import { CarrierError } from '../carrier-error.js';
import { type HttpAnswer, NoAnswer } from './client.js';
import { isPrivateHost } from './guarded.js';

/**
 * What a call that got no answer means for what it was to do: nothing, where it never left; else that it may have been done.
 * @param error of `HttpClient.call`; any other is thrown
 * @param carrier who did not answer, e.g. `Meta`, as it stands in the error's text
 */
export function unanswered(error: unknown, carrier: string): CarrierError {
  if (!(error instanceof NoAnswer)) throw error;
  if (isPrivateHost(error.cause)) {
    const text = `The host of ${carrier} is a private address, which CARRIER_PRIVATE_HOSTS does not allow.`;
    return CarrierError.unavailable('PRIVATE_ADDRESS', text, { cause: error });
  }
  if (!error.left) {
    return CarrierError.unavailable('UNREACHABLE', `${carrier} cannot be reached (${error.code}).`, { cause: error });
  }
  const text = `${carrier} did not answer (${error.code}); it may have taken the message.`;
  return CarrierError.answerLost(text, { cause: error });
}

/** An answer that is not the carrier's: a proxy's, say. Only one that refuses the request says what became of it. */
export function strangeAnswer({ status }: Pick<HttpAnswer, 'status'>, carrier: string): CarrierError {
  const text = `The answer (HTTP status ${status}) is not one of ${carrier}'s.`;
  const refused = status >= 300 && status < 500;
  return refused
    ? CarrierError.refused('BAD_ANSWER', text, { retryable: true })
    : CarrierError.answerLost(text, { code: 'BAD_ANSWER' });
}

/** No wish holds longer: a slip, such as milliseconds for seconds, would stop a carrier for months. Who still wants it asks again. */
const LONGEST_WISH_MS = 3_600_000;

/** Milliseconds for which the other side is left alone that asks for so many. */
export function obeyedMs(askedMs: number): number {
  return Math.min(Math.max(0, askedMs), LONGEST_WISH_MS);
}

/**
 * Milliseconds that `Retry-After` asks for, in seconds or as a date (RFC 9110, 10.2.3), an hour at most; null where it does
 * not say.
 */
export function retryAfterMs({ headers }: Pick<HttpAnswer, 'headers'>, now: Date): number | null {
  const given = String(headers['retry-after'] ?? '');
  if (/^\d+$/.test(given)) return obeyedMs(Number(given) * 1000);
  const date = Date.parse(given);
  return Number.isNaN(date) ? null : obeyedMs(date - now.getTime());
}
