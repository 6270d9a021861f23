import type { Statement } from '../../platform/store/connections/pool.js';
import type { Connection } from '../../platform/store/with-transaction.js';

const FIND_CARRIER: Statement = {
  name: 'conversations-carrier-of-channel',
  text: 'SELECT carrier FROM channels WHERE id = $1',
};

export async function findChannelCarrier(connection: Connection, channelId: string): Promise<string> {
  const { rows } = await connection.query<{ carrier: string }>({ ...FIND_CARRIER, values: [channelId] });
  return rows[0]?.carrier ?? '';
}

/** Records only newer IDs, so that importing an old history writes nothing. */
const RECORD_NEWEST_ECHO: Statement = {
  name: 'conversations-note-echo',
  text: 'UPDATE channels SET newest_echo_id = $2 WHERE id = $1 AND (newest_echo_id IS NULL OR newest_echo_id < $2)',
};

/** Messages sent outside Heliograph have no ledger line, so message lists need the newest echo's ID to find them. */
export async function recordNewestEcho(connection: Connection, channelId: string, messageId: string): Promise<void> {
  await connection.query({ ...RECORD_NEWEST_ECHO, values: [channelId, messageId] });
}
