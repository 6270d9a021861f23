import type { Receipt } from '../../carriers/carrier.js';
import { toStorableId } from '../../carriers/carrier-message-id.js';
import type { ReceiptSource, SentEvent } from './events.js';

/* The table of rules is in docs/reliability.md ("Whose report counts"). */

/**
 * An ID made by the carrier and reported together with our own is unique, so the carrier's name is not needed: the
 * WhatsApp channel may have moved to another carrier. Other IDs are unique only within their carrier.
 */
export function toReceiptSource({
  carrier,
  carrierMessageId,
  messageId,
  attempt,
}: Pick<Receipt, 'carrier' | 'carrierMessageId' | 'messageId' | 'attempt'>): ReceiptSource {
  const id = toStorableId(carrierMessageId);
  const isUnique = messageId !== undefined && !id.includes(messageId);
  return { carrier: isUnique ? null : carrier, carrierMessageId: id, attempt: attempt ?? null };
}

export function isAboutAttempt({ carrier, carrierMessageId, attempt }: ReceiptSource, sent: SentEvent): boolean {
  if (carrier !== null && carrier !== sent.carrier) return false;
  return carrierMessageId === toStorableId(sent.carrierMessageId) || attempt === sent.attempt;
}

/**
 * SQL: whether a receipt is about the attempt that owns message `m`. Once erasure has removed the carrier's ID, every
 * receipt from the owner's carrier counts.
 * @param r alias of a row with `source_carrier`, `source_id` and `source_attempt`, the fields of a ReceiptSource
 */
export function isAboutOwner(r: string): string {
  return `((${r}.source_carrier IS NULL OR ${r}.source_carrier = m.carrier)
    AND ((${r}.source_id = m.carrier_message_id) IS NOT FALSE OR ${r}.source_attempt = m.attempts) IS TRUE)`;
}

/**
 * SQL: whether a message failed after its carrier had accepted it.
 * @param m alias of the row of `messages`
 */
export function isReplaceableFailure(m: string): string {
  return `(${m}.kind = 'whatsapp' AND ${m}.status = 'failed' AND ${m}.sent_at IS NOT NULL AND NOT ${m}.refunded)`;
}

export function receiptCountsSql(r: string): string {
  return `(${isAboutOwner(r)} OR (m.maybe_accepted AND ${r}.status IN ('delivered', 'read')))`;
}
