import type { Statement } from '../../platform/store/connections/pool.js';
import type { Connection } from '../../platform/store/with-transaction.js';

/** Maximum messages per statement. */
const WAKE_MESSAGES = 5_000;

const WAKE: Statement = {
  name: 'channels-wake-messages',
  text: `UPDATE messages SET not_before = NULL, next_look = now(), look_count = 0
         WHERE id = ANY (ARRAY(
           SELECT id FROM messages
           WHERE next_look IS NOT NULL AND channel_id = $1 AND status = 'sending' AND lease_until IS NULL
             AND not_before > now()
           ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED))`,
};

export async function wakeChannelMessages(pool: Connection, channelId: string): Promise<void> {
  for (;;) {
    const { rowCount } = await pool.query({ ...WAKE, values: [channelId, WAKE_MESSAGES] });
    if ((rowCount ?? 0) < WAKE_MESSAGES) return;
  }
}
