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
