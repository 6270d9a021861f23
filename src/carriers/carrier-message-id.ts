import { createHash } from 'node:crypto';
import { toStorable } from '../platform/store/storable.js';

/**
 * In UTF-16 code units. PostgreSQL index entries are limited to 2704 bytes. IDs of conforming carriers are far shorter
 * (SMPP 3.4 §5.2.23: 64 characters).
 */
const LONGEST_ID = 500;

/**
 * Converts a carrier's message ID to the form that is stored and compared. Use it for every source: submission responses,
 * receipts and user input. An ID too long for an index is replaced by its hash; otherwise a message the carrier accepted
 * would be sent again because its ID cannot be stored.
 */
export function toStorableId(carrierMessageId: string): string {
  const id = toStorable(carrierMessageId);
  return id.length <= LONGEST_ID ? id : `long-${createHash('sha256').update(id).digest('hex')}`;
}
