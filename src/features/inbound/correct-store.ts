import type pg from 'pg';
import { storableId } from '../../carriers/carrier-message-id.js';
import type { CorrectionReport } from '../../carriers/inbound-message.js';
import type { CorrectedMessage } from '../../messages/events/correction-events.js';
import type { Statement } from '../../platform/store/connections/pool.js';
import { storable, storableJson } from '../../platform/store/storable.js';
import { ERASED_CARRIER_ID } from './inbound-store.js';

/**
 * Of a person who was erased nothing comes back: the row is found by the hash of the carrier's id, and belongs to no conversation.
 * What was taken back stays so, and of several changes the latest counts. A caption that changes leaves the file.
 */
const CORRECT: Statement = {
  name: 'inbound-correct',
  text: `
WITH found AS (
  SELECT id, conversation_id FROM inbound_messages
  WHERE channel_id = $1 AND carrier_message_id IN ($2::text, ${ERASED_CARRIER_ID('$2::text')}) FOR UPDATE
), corrected AS (
  UPDATE inbound_messages i SET body = $4::text,
    payload = $5::jsonb || CASE WHEN $5::jsonb ? 'id' AND i.payload ? 'mediaId'
      THEN jsonb_build_object('mediaId', i.payload -> 'mediaId') ELSE '{}' END,
    edited_at = CASE WHEN $3::boolean THEN i.edited_at ELSE $6::timestamptz END,
    revoked_at = CASE WHEN $3::boolean THEN $6::timestamptz END
  FROM found f
  WHERE i.id = f.id AND f.conversation_id IS NOT NULL AND i.revoked_at IS NULL
    AND ($3::boolean OR i.edited_at IS NULL OR i.edited_at < $6::timestamptz)
  RETURNING i.id, i.type, i.payload
)
SELECT f.id AS "messageId", done.id IS NOT NULL AS "isCorrected", done.type, done.payload, k.id AS "contactId",
  f.conversation_id AS "conversationId", k.phone, k.user_id AS "userId", k.username
FROM found f LEFT JOIN corrected done ON done.id = f.id
LEFT JOIN conversations v ON v.id = f.conversation_id LEFT JOIN contacts k ON k.id = v.contact_id`,
};

/** Changes a message of a contact, or empties it where it was taken back. @returns undefined where the message never was here */
export async function correctInbound(
  client: pg.PoolClient,
  report: CorrectionReport,
): Promise<CorrectedMessage | undefined> {
  const { channel, carrierMessageId, edit, at } = report;
  const payload = JSON.stringify(storableJson(edit?.payload ?? {}));
  const content = [edit === null, storable(edit?.body ?? ''), payload];
  const values = [channel.id, storableId(carrierMessageId), ...content, at.toISOString()];
  return (await client.query<CorrectedMessage>({ ...CORRECT, values })).rows[0];
}
