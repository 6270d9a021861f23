import type { Statement } from '../../platform/store/connections/pool.js';
import type { Connection } from '../../platform/store/within.js';

/** Messages that one statement wakes at the most. */
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

/** Makes messages of a channel due that wait because its carrier refused us: they need not wait any longer. */
export async function wakeMessagesOf(pool: Connection, channelId: string): Promise<void> {
  for (;;) {
    const { rowCount } = await pool.query({ ...WAKE, values: [channelId, WAKE_MESSAGES] });
    if ((rowCount ?? 0) < WAKE_MESSAGES) return;
  }
}
