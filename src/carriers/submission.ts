import type { AcceptedPart, Submission } from './carrier.js';

/**
 * Receipts may come once for several parts that share an ID, so the first receipt then counts for the whole message.
 */
export function toSubmission(parts: readonly AcceptedPart[]): Submission {
  const ids = parts.map((part) => part.carrierMessageId);
  const [carrierMessageId] = ids as [string];
  return parts.length > 1 && new Set(ids).size === ids.length ? { carrierMessageId, parts } : { carrierMessageId };
}
