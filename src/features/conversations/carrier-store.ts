import type { Statement } from '../../platform/store/connections/pool.js';
import type { Connection } from '../../platform/store/within.js';

const CARRIER: Statement = {
  name: 'conversations-carrier-of-channel',
  text: 'SELECT carrier FROM channels WHERE id = $1',
};

/** The name of a channel's carrier. */
export async function carrierOfChannel(connection: Connection, channelId: string): Promise<string> {
  const { rows } = await connection.query<{ carrier: string }>({ ...CARRIER, values: [channelId] });
  return rows[0]?.carrier ?? '';
}

/** Only the newest is noted, so a history that comes later writes nothing. */
const NOTE_ECHO: Statement = {
  name: 'conversations-note-echo',
  text: 'UPDATE channels SET newest_echo_id = $2 WHERE id = $1 AND (newest_echo_id IS NULL OR newest_echo_id < $2)',
};

/** Notes that the number of a channel sent a message elsewhere: the list of messages finds it without a line of the ledger. */
export async function noteEcho(connection: Connection, channelId: string, messageId: string): Promise<void> {
  await connection.query({ ...NOTE_ECHO, values: [channelId, messageId] });
}
