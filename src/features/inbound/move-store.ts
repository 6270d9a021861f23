import type pg from 'pg';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';

const MOVE: PlannedStatement = {
  text: 'UPDATE inbound_messages SET conversation_id = $2 WHERE conversation_id = $1',
};

/** Moves what a contact wrote to another conversation. */
export async function moveInbound(client: pg.PoolClient, from: string, to: string): Promise<void> {
  await client.query({ ...MOVE, values: [from, to] });
}
