import type { AcceptedPart, Submission } from './carrier.js';

/** If several parts share an ID, they may get only one receipt, so the first receipt counts for the whole message. */
export function toSubmission(parts: readonly AcceptedPart[]): Submission {
  const ids = parts.map((part) => part.carrierMessageId);
  const [carrierMessageId] = ids as [string];
  return parts.length > 1 && new Set(ids).size === ids.length ? { carrierMessageId, parts } : { carrierMessageId };
}
