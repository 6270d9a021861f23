import type pg from 'pg';
import { toStorableId } from '../../carriers/carrier-message-id.js';
import type { CorrectionReport } from '../../carriers/inbound-message.js';
import { toStorable } from '../../platform/store/storable.js';
import { emitEvents } from './outbox.js';

export interface CorrectedMessage {
  messageId: string;
  /** Whether the report changes the message; false for a repeated or outdated report. */
  isCorrected: boolean;
  /** Null if nothing changed. */
  type: string | null;
  payload: object | null;
  /** Contact ID, or null if the person was erased or the contact was deleted. */
  contactId: string | null;
  conversationId: string | null;
  phone: string | null;
  userId: string | null;
  username: string | null;
}

/** Must be called in the transaction that changes the message. */
export async function emitCorrectionEvent(
  client: pg.PoolClient,
  { channel, carrierMessageId, isOwn, edit, at }: CorrectionReport,
  { messageId, contactId, conversationId, type, payload, phone, userId, username }: CorrectedMessage,
): Promise<void> {
  const { accountId, id: channelId } = channel;
  const facts = {
    ...{ messageId, channel, contactId, conversationId, carrierMessageId: toStorableId(carrierMessageId) },
    isOutbound: isOwn,
    contact: { phone, userId, username },
  };
  const event = { accountId, channelId, occurredAt: at };
  if (edit === null) return await emitEvents(client, { ...event, type: 'message.revoked' }, [facts]);
  const edited = { type: type ?? edit.type, text: toStorable(edit.body), payload: payload ?? {} };
  await emitEvents(client, { ...event, type: 'message.edited' }, [{ ...facts, edited }]);
}
