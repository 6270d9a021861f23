import type { Receipt } from '../../carriers/carrier.js';
import { storableId } from '../../carriers/carrier-message-id.js';
import type { ReceiptSource, SentEvent } from './events.js';

/*
 * Whose report counts when several attempts to send a message have reached carriers. The table in docs/reliability.md
 * ("Whose report counts") gives the rules for people; everything that applies a receipt decides by this file.
 *
 * The owner of a message is the attempt that marked it `sent`. A report by the owner counts. A report about any other
 * attempt is history, with one exception: `delivered` or `read` counts if an earlier attempt may have reached its carrier,
 * because then that copy can be the one that arrived. A failure of another attempt says nothing about the owner's copy.
 */

/**
 * An ID that the carrier made and reported together with ours is enough by itself: a WhatsApp channel may have been moved to
 * a carrier of another name. IDs made from ours are the same at every carrier, and IDs that lead to a message by themselves
 * are unique within their carrier only.
 */
export function sourceOf({
  carrier,
  carrierMessageId,
  messageId,
  attempt,
}: Pick<Receipt, 'carrier' | 'carrierMessageId' | 'messageId' | 'attempt'>): ReceiptSource {
  const id = storableId(carrierMessageId);
  const isUnique = messageId !== undefined && !id.includes(messageId);
  return { carrier: isUnique ? null : carrier, carrierMessageId: id, attempt: attempt ?? null };
}

/** Whether a receipt is about the attempt whose result this is. */
export function isAbout({ carrier, carrierMessageId, attempt }: ReceiptSource, sent: SentEvent): boolean {
  if (carrier !== null && carrier !== sent.carrier) return false;
  return carrierMessageId === storableId(sent.carrierMessageId) || attempt === sent.attempt;
}

/**
 * SQL: whether a receipt is about the owner of message `m`, which must be `sent` or beyond. A receipt without a source is.
 * So is any by the owner's carrier once erasure has removed the carrier's ID.
 * @param r alias of a row with `source_carrier`, `source_id` and `source_attempt`, the fields of a ReceiptSource
 */
export function isOwners(r: string): string {
  return `((${r}.source_carrier IS NULL OR ${r}.source_carrier = m.carrier)
    AND ((${r}.source_id = m.carrier_message_id) IS NOT FALSE OR ${r}.source_attempt = m.attempts) IS TRUE)`;
}

/**
 * SQL: whether a message failed after its carrier had accepted it. Refused and refunded messages stay failed.
 * @param m alias of the row of `messages`
 */
export function isReplaceable(m: string): string {
  return `(${m}.kind = 'whatsapp' AND ${m}.status = 'failed' AND ${m}.sent_at IS NOT NULL AND NOT ${m}.refunded)`;
}

/** SQL: whether a receipt with a `status` may change message `m`; see `isOwners`. */
export function counts(r: string): string {
  return `(${isOwners(r)} OR (m.maybe_accepted AND ${r}.status IN ('delivered', 'read')))`;
}
