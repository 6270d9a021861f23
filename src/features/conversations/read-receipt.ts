import type pg from 'pg';
import type { CarrierRegistry } from '../../carriers/registry/registry.js';
import { invalidField } from '../../platform/errors/app-error.js';
import { callCarrier, type OwnedChannel } from '../channels/call-carrier.js';
import { findReferencedMessage } from '../channels/referenced-message-store.js';

export interface ReadReceiptOptions {
  pool: pg.Pool;
  carriers: Pick<CarrierRegistry, 'get'>;
}

/**
 * Marks an inbound message as read, free of charge. If `typing` is true, also shows the contact that a reply is being
 * written.
 * @param messageId Ours or the carrier's.
 * @throws {AppError} INVALID_REQUEST if the channel has no such message, or any error of `callCarrier`
 */
export async function sendReadReceipt(
  options: ReadReceiptOptions,
  channel: OwnedChannel,
  { messageId, typing = false }: { messageId: string; typing?: boolean },
): Promise<void> {
  const { id: channelId, accountId } = channel;
  const carrierMessageId = await findReferencedMessage(options, { accountId, channelId }, messageId);
  if (carrierMessageId === null) throw invalidField('messageId', 'is not the ID of a message of the channel');
  await callCarrier(
    options.carriers,
    channel,
    (carrier) => carrier.markRead?.(channel, carrierMessageId, { typing }),
    'does not support read receipts',
  );
}
