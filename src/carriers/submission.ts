import type { AcceptedPart, Submission } from './carrier.js';

/**
 * What a carrier answers that took a message in parts. Where it gave several of them one id, its receipts cannot tell them
 * apart, and may come once for all: the first that comes is then that of the message.
 * @param parts all of the message, in order; at least one
 */
export function submissionOf(parts: readonly AcceptedPart[]): Submission {
  const ids = parts.map((part) => part.carrierMessageId);
  const [carrierMessageId] = ids as [string];
  return parts.length > 1 && new Set(ids).size === ids.length ? { carrierMessageId, parts } : { carrierMessageId };
}
