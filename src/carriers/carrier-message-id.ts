import { createHash } from 'node:crypto';
import { storable } from '../platform/store/storable.js';

/**
 * In UTF-16 code units. PostgreSQL takes no index entry of more than 2704 octets; a carrier that keeps to its rules is far
 * below (SMPP 3.4 §5.2.23: 64 characters).
 */
const LONGEST_ID = 500;

/**
 * A carrier's id of a message as it is stored and compared, whoever tells it: the answer to a submission, a receipt, or what
 * somebody wrote. One that no index can hold is known by its hash, so that a message which was taken is never sent again
 * because its id cannot be stored.
 */
export function storableId(carrierMessageId: string): string {
  const id = storable(carrierMessageId);
  return id.length <= LONGEST_ID ? id : `long-${createHash('sha256').update(id).digest('hex')}`;
}
