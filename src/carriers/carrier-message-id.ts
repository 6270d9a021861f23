import { createHash } from 'node:crypto';
import { toStorable } from '../platform/store/storable.js';

/**
 * In UTF-16 code units. PostgreSQL index entries are limited to 2704 bytes. IDs of conforming carriers are far shorter
 * (SMPP 3.4 §5.2.23).
 */
const MAX_ID_LENGTH = 500;

/**
 * For every source of carrier message IDs, including user input. Long IDs are hashed, because a message whose ID cannot
 * be stored would be sent again.
 */
export function toStorableId(carrierMessageId: string): string {
  const id = toStorable(carrierMessageId);
  return id.length <= MAX_ID_LENGTH ? id : `long-${createHash('sha256').update(id).digest('hex')}`;
}
