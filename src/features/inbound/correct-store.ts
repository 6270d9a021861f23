import type pg from 'pg';
import type { CorrectionReport } from '../../carriers/inbound-message.js';
import type { Statement } from '../../platform/store/pool.js';
import { storable, storableJson } from '../../platform/store/storable.js';
import { ERASED_CARRIER_ID } from './inbound-store.js';

/**
 * Of a person who was erased nothing comes back: the row is found by the hash of the carrier's id, and belongs to no conversation.
 * What was taken back stays so, and of several changes the latest counts.
 */
const CORRECT: Statement = {
  name: 'inbound-correct',
  text: `
WITH found AS (
  SELECT id, conversation_id FROM inbound_messages
  WHERE channel_id = $1 AND carrier_message_id IN ($2::text, ${ERASED_CARRIER_ID('$2::text')}) FOR UPDATE
), corrected AS (
  UPDATE inbound_messages i SET body = $4::text, payload = $5::jsonb,
    edited_at = CASE WHEN $3::boolean THEN i.edited_at ELSE $6::timestamptz END,
    revoked_at = CASE WHEN $3::boolean THEN $6::timestamptz END
  FROM found f
  WHERE i.id = f.id AND f.conversation_id IS NOT NULL AND i.revoked_at IS NULL
    AND ($3::boolean OR i.edited_at IS NULL OR i.edited_at < $6::timestamptz)
)
SELECT FROM found`,
};

/** Changes a message of a contact, or empties it where it was taken back. @returns whether the message is here, or was */
export async function correctInbound(pool: pg.Pool, report: CorrectionReport): Promise<boolean> {
  const { channel, carrierMessageId, edit, at } = report;
  const payload = JSON.stringify(storableJson(edit?.payload ?? {}));
  const content = [edit === null, storable(edit?.body ?? ''), payload];
  const values = [channel.id, storable(carrierMessageId), ...content, at.toISOString()];
  return (await pool.query({ ...CORRECT, values })).rowCount !== 0;
}
