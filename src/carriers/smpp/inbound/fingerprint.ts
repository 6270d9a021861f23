import { createHash } from 'node:crypto';
import type { IncomingMessage } from '../wire/deliver-sm.js';
import { TAG, textOf } from '../wire/tlvs.js';

/**
 * What an inbound message says of itself, and the id that follows from it: only where the SMSC tells the time or an id of
 * its own are two messages that read alike surely the same.
 */
export function identify(message: IncomingMessage): { fingerprint: string; id: string | null } {
  const ownId = message.tlvs.get(TAG.receiptedMessageId);
  const own = [message.scheduleDeliveryTime, ownId ? textOf(ownId) : ''];
  const hash = createHash('sha256');
  hash.update(JSON.stringify([message.source, message.destination, message.esmClass, message.dataCoding, ...own]));
  for (const tag of [TAG.userMessageReference, TAG.sarReference, TAG.sarTotal, TAG.sarSequence]) {
    hash.update(message.tlvs.get(tag) ?? Buffer.alloc(0)).update('|');
  }
  const fingerprint = hash.update(message.octets).digest('base64url');
  return { fingerprint, id: own.some(Boolean) ? fingerprint : null };
}
