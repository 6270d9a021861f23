import type pg from 'pg';
import type { Statement } from '../../platform/store/connections/pool.js';

const IS_MAYBE_ACCEPTED: Statement = {
  name: 'send-perhaps-taken',
  text: 'SELECT maybe_accepted AS "maybeAccepted" FROM messages WHERE id = $1',
};

export async function isMaybeAccepted(pool: pg.Pool, messageId: string): Promise<boolean> {
  const { rows } = await pool.query<{ maybeAccepted: boolean }>({ ...IS_MAYBE_ACCEPTED, values: [messageId] });
  return rows[0]?.maybeAccepted === true;
}
