import type pg from 'pg';
import { toStorableId } from '../../carriers/carrier-message-id.js';
import type { CorrectionReport } from '../../carriers/inbound-message.js';
import type { CorrectedMessage } from '../../messages/events/correction-events.js';
import type { Statement } from '../../platform/store/connections/pool.js';
import { toStorable, toStorableJson } from '../../platform/store/storable.js';
import { ERASED_CARRIER_ID } from './inbound-store.js';

/**
 * Messages of erased persons are found by the hash of their carrier ID, but do not change, because they have no
 * conversation. Only the latest edit counts, and no edit counts after a revocation. An edited caption leaves the
 * message's file in place.
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
SELECT f.id AS "messageId", c.id IS NOT NULL AS "isCorrected", c.type, c.payload, k.id AS "contactId",
  f.conversation_id AS "conversationId", k.phone, k.user_id AS "userId", k.username
FROM found f LEFT JOIN corrected c ON c.id = f.id
LEFT JOIN conversations v ON v.id = f.conversation_id LEFT JOIN contacts k ON k.id = v.contact_id`,
};

export async function correctInbound(
  client: pg.PoolClient,
  report: CorrectionReport,
): Promise<CorrectedMessage | undefined> {
  const { channel, carrierMessageId, edit, at } = report;
  const payload = JSON.stringify(toStorableJson(edit?.payload ?? {}));
  const content = [edit === null, toStorable(edit?.body ?? ''), payload];
  const values = [channel.id, toStorableId(carrierMessageId), ...content, at.toISOString()];
  return (await client.query<CorrectedMessage>({ ...CORRECT, values })).rows[0];
}
