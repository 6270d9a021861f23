import type { Receipt } from '../../carriers/carrier.js';
import { toStorableId } from '../../carriers/carrier-message-id.js';
import type { ReceiptSource, SentEvent } from './events.js';

/* The table of rules is in docs/develop/reliability.md ("Whose report counts"). */

/**
 * A report with our own message ID needs no carrier name, because a WhatsApp channel may have moved to another carrier. Other
 * reports need the name, because carrier IDs are unique only within their carrier.
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
 * Builds SQL that checks whether a receipt is about the attempt that owns message `m`. After an erasure has removed the
 * carrier's message ID, every receipt from the owning attempt's carrier counts.
 * @param r alias of a row with `source_carrier`, `source_id` and `source_attempt`, the fields of a ReceiptSource
 */
export function isAboutOwner(r: string): string {
  return `((${r}.source_carrier IS NULL OR ${r}.source_carrier = m.carrier)
    AND ((${r}.source_id = m.carrier_message_id) IS NOT FALSE OR ${r}.source_attempt = m.attempts) IS TRUE)`;
}

/**
 * Builds SQL that checks whether a message failed after its carrier had accepted it.
 * @param m alias of the row of `messages`
 */
export function isReplaceableFailure(m: string): string {
  return `(${m}.kind = 'whatsapp' AND ${m}.status = 'failed' AND ${m}.sent_at IS NOT NULL AND NOT ${m}.refunded)`;
}

export function receiptCountsSql(r: string): string {
  return `(${isAboutOwner(r)} OR (m.maybe_accepted AND ${r}.status IN ('delivered', 'read')))`;
}
