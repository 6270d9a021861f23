import type pg from 'pg';
import { isUuid } from '../../platform/ids.js';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';

const FIND: PlannedStatement = {
  text: `
SELECT carrier_message_id AS id FROM messages WHERE id = $3 AND account_id = $1 AND channel_id = $2
UNION ALL
SELECT carrier_message_id FROM inbound_messages WHERE id = $3 AND account_id = $1 AND channel_id = $2`,
};

/**
 * Returns null if our ID is unknown or the carrier has not accepted the message yet.
 * @param messageId Our ID, or the carrier's ID, which is returned unchanged because the message may predate our
 * records.
 */
export async function findReferencedMessage(
  { pool }: { pool: pg.Pool },
  { accountId, channelId }: { accountId: string; channelId: string },
  messageId: string,
): Promise<string | null> {
  if (!isUuid(messageId)) return messageId;
  const { rows } = await pool.query<{ id: string | null }>({ ...FIND, values: [accountId, channelId, messageId] });
  return rows[0]?.id ?? null;
}
