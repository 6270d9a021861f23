import type pg from 'pg';
import { storableId } from '../../carriers/carrier-message-id.js';
import type { CorrectionReport } from '../../carriers/inbound-message.js';
import { emitEvents } from '../../messages/events/outbox.js';
import { storable } from '../../platform/store/storable.js';
import type { FoundMessage } from './correct-store.js';

/** Tells the webhooks that a message says something else now, or was taken back, in the transaction that changes it. */
export async function emitCorrected(
  client: pg.PoolClient,
  { channel, carrierMessageId, isOwn, edit, at }: CorrectionReport,
  { messageId, contactId, conversationId, type, payload, phone, userId, username }: FoundMessage,
): Promise<void> {
  const { accountId, id: channelId } = channel;
  const facts = {
    ...{ messageId, channel, contactId, conversationId, isOwn, carrierMessageId: storableId(carrierMessageId) },
    contact: { phone, userId, username },
  };
  const event = { accountId, channelId, occurredAt: at };
  if (edit === null) return await emitEvents(client, { ...event, type: 'message.revoked' }, [facts]);
  const now = { type: type ?? edit.type, text: storable(edit.body), payload: payload ?? {} };
  await emitEvents(client, { ...event, type: 'message.edited' }, [{ ...facts, now }]);
}
