import { createHash } from 'node:crypto';
import { toStorable } from '../platform/store/storable.js';

/**
 * In UTF-16 code units. PostgreSQL limits index entries to 2704 bytes, and SMPP 3.4 §5.2.23 limits message IDs to 64
 * characters.
 */
const MAX_ID_LENGTH = 500;

/**
 * This function must be applied to every carrier message ID, including IDs that users enter. Long IDs are hashed, because a
 * message whose ID cannot be stored would be sent again.
 */
export function toStorableId(carrierMessageId: string): string {
  const id = toStorable(carrierMessageId);
  return id.length <= MAX_ID_LENGTH ? id : `long-${createHash('sha256').update(id).digest('hex')}`;
}
