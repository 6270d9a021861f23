import type pg from 'pg';
import type { CarrierRegistry } from '../../carriers/registry/registry.js';
import { invalidField } from '../../platform/errors/app-error.js';
import { askCarrier, type OwnedChannel } from '../channels/ask-carrier.js';
import { findReferred } from '../channels/referred-store.js';

export interface MarkReadOptions {
  pool: pg.Pool;
  carriers: Pick<CarrierRegistry, 'get'>;
}

/**
 * Shows the contact who wrote a message that it was read, and perhaps that an answer is being written. Nothing is charged.
 * @param messageId ours, or the carrier's
 * @throws {AppError} INVALID_REQUEST for an id that names no message of the channel; otherwise as `askCarrier`
 */
export async function markRead(
  options: MarkReadOptions,
  channel: OwnedChannel,
  { messageId, typing = false }: { messageId: string; typing?: boolean },
): Promise<void> {
  const { id: channelId, accountId } = channel;
  const carrierMessageId = await findReferred(options, { accountId, channelId }, messageId);
  if (carrierMessageId === null) throw invalidField('messageId', 'names no message of the channel');
  await askCarrier(
    options.carriers,
    channel,
    (carrier) => carrier.markRead?.(channel, carrierMessageId, { typing }),
    'cannot show that a message was read',
  );
}
