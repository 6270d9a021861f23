import { MEDIA_TYPES } from '../../carriers/content.js';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';
import type { Connection } from '../../platform/store/with-transaction.js';
import { hasNoPendingFallback } from './fallback-sql.js';

interface MessageRef {
  id: string;
  accountId: string;
}

/** The content of a message with a file is kept, because it contains no text: the caption is in the body. */
const MEDIA_TYPE_LIST = MEDIA_TYPES.map((type) => `'${type}'`).join(', ');

/** A message with a pending fallback keeps its text, because the fallback needs it. */
const REDACT_MESSAGE: PlannedStatement = {
  text: `UPDATE messages SET body = '',
           content = CASE WHEN content ->> 'type' IN (${MEDIA_TYPE_LIST}) THEN content - 'fallback' END
         WHERE id = $1 AND account_id = $2 AND surface = 'a' AND status NOT IN ('queued', 'sending')
           AND (content -> 'fallback' IS NULL OR status IN ('delivered', 'read', 'canceled')
             OR EXISTS (SELECT FROM fallbacks f WHERE f.message_id = messages.id AND f.next_look IS NULL))`,
};

export async function redactMessage(connection: Connection, { id, accountId }: MessageRef): Promise<boolean> {
  const { rowCount } = await connection.query({ ...REDACT_MESSAGE, values: [id, accountId] });
  return rowCount === 1;
}

const DELETE_MESSAGE: PlannedStatement = {
  text: `
WITH deleted AS (
  DELETE FROM messages WHERE id = $1 AND account_id = $2 AND surface = 'a' AND next_look IS NULL
    AND status IN ('delivered', 'read', 'undelivered', 'failed', 'rejected', 'expired', 'canceled')
    AND ${hasNoPendingFallback('messages')}
  RETURNING id, account_id, reference
), deleted_references AS (
  DELETE FROM message_references r USING deleted d
  WHERE r.account_id = d.account_id AND r.reference = d.reference AND r.message_id = d.id
), deleted_parts AS (
  DELETE FROM message_parts p USING deleted d WHERE p.message_id = d.id
), deleted_tries AS (
  DELETE FROM message_tries t USING deleted d WHERE t.message_id = d.id
), deleted_holds AS (
  DELETE FROM message_holds h USING deleted d WHERE h.message_id = d.id
), deleted_receipts AS (
  DELETE FROM superseded_receipts s USING deleted d WHERE s.message_id = d.id
)
SELECT id FROM deleted`,
};

/**
 * Deletes the message, but the charge stays in the ledger.
 * @returns false if the message is not final
 */
export async function deleteMessage(connection: Connection, { id, accountId }: MessageRef): Promise<boolean> {
  const { rowCount } = await connection.query({ ...DELETE_MESSAGE, values: [id, accountId] });
  return rowCount === 1;
}
