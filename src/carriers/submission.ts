import type { AcceptedPart, Submission } from './carrier.js';

/**
 * Builds the carrier's acceptance of a multipart message. If several parts share an ID, receipts cannot tell them apart and
 * may come once for all, so the first receipt then counts for the whole message.
 * @param parts all parts, in order; at least one
 */
export function toSubmission(parts: readonly AcceptedPart[]): Submission {
  const ids = parts.map((part) => part.carrierMessageId);
  const [carrierMessageId] = ids as [string];
  return parts.length > 1 && new Set(ids).size === ids.length ? { carrierMessageId, parts } : { carrierMessageId };
}
