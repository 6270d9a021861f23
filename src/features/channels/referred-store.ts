import type pg from 'pg';
import { isUuid } from '../../platform/ids.js';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';

const REFERRED: PlannedStatement = {
  text: `
SELECT carrier_message_id AS id FROM messages WHERE id = $3 AND account_id = $1 AND channel_id = $2
UNION ALL
SELECT carrier_message_id FROM inbound_messages WHERE id = $3 AND account_id = $1 AND channel_id = $2`,
};

/**
 * The carrier's id of a message of a channel, of either direction, that another one quotes or reacts to.
 * @param given our id of it, or the carrier's, which is taken as it is: the message may be older than what is kept
 * @returns null where the channel has no message of our id, or its carrier has not taken it yet
 */
export async function findReferred(
  { pool }: { pool: pg.Pool },
  { accountId, channelId }: { accountId: string; channelId: string },
  given: string,
): Promise<string | null> {
  if (!isUuid(given)) return given;
  const { rows } = await pool.query<{ id: string | null }>({ ...REFERRED, values: [accountId, channelId, given] });
  return rows[0]?.id ?? null;
}
