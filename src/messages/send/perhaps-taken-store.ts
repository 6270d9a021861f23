import type pg from 'pg';
import type { Statement } from '../../platform/store/connections/pool.js';

const PERHAPS_TAKEN: Statement = {
  name: 'send-perhaps-taken',
  text: 'SELECT maybe_accepted AS "maybeAccepted" FROM messages WHERE id = $1',
};

/** Whether a carrier may have taken a message in an attempt before this one. */
export async function isPerhapsTaken(pool: pg.Pool, messageId: string): Promise<boolean> {
  const { rows } = await pool.query<{ maybeAccepted: boolean }>({ ...PERHAPS_TAKEN, values: [messageId] });
  return rows[0]?.maybeAccepted === true;
}
