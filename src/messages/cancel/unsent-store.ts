import type pg from 'pg';
import { CANCELED } from '../status/events.js';

/**
 * Cancels, without a refund and untold, every message that no carrier has taken: a copy of a store does not know whether
 * the server that it came from has sent it since. Nor does it know what became of those that a carrier had taken, so no SMS
 * is made in the place of any.
 * @returns how many it canceled
 */
export async function cancelUnsent(client: Pick<pg.ClientBase, 'query'>): Promise<number> {
  const { rowCount } = await client.query(
    `UPDATE messages SET status = 'canceled', next_look = NULL, ended_at = now() WHERE status IN ('queued', 'sending')`,
  );
  // A store of a version before may have none.
  const { rows } = await client.query(`SELECT FROM pg_class WHERE oid = to_regclass('fallbacks')`);
  if (rows.length > 0) {
    await client.query(
      `UPDATE messages SET content = content - 'fallback' WHERE status = 'sent' AND content ? 'fallback'`,
    );
    await client.query(
      `UPDATE fallbacks SET next_look = NULL, error_code = '${CANCELED}', error_message = 'The store was restored without what was unsent.'
       WHERE next_look IS NOT NULL`,
    );
  }
  return rowCount ?? 0;
}
