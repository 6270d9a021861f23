import { createHash } from 'node:crypto';
import type { IncomingMessage } from '../wire/deliver-sm.js';
import { readCString, TAG } from '../wire/tlvs.js';

/**
 * If the SMSC supplied a timestamp or a message ID, the hash is also the message's ID, because only repetitions then have the
 * same hash. If the SMSC supplied neither, `id` is null.
 */
export function fingerprintMessage(message: IncomingMessage): { fingerprint: string; id: string | null } {
  const smscMessageId = message.tlvs.get(TAG.receiptedMessageId);
  const distinguishingFields = [message.scheduleDeliveryTime, smscMessageId ? readCString(smscMessageId) : ''];
  const hash = createHash('sha256');
  hash.update(
    JSON.stringify([
      message.source,
      message.destination,
      message.esmClass,
      message.dataCoding,
      ...distinguishingFields,
    ]),
  );
  for (const tag of [TAG.userMessageReference, TAG.sarReference, TAG.sarTotal, TAG.sarSequence]) {
    hash.update(message.tlvs.get(tag) ?? Buffer.alloc(0)).update('|');
  }
  const fingerprint = hash.update(message.octets).digest('base64url');
  return { fingerprint, id: distinguishingFields.some(Boolean) ? fingerprint : null };
}
