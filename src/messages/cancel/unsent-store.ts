import type pg from 'pg';
import { CANCELED } from '../status/events.js';

/**
 * Cancels the unsent messages of a database copy without refunds or webhooks, because the original server may have sent them.
 */
export async function cancelUnsent(client: Pick<pg.ClientBase, 'query'>): Promise<number> {
  const { rowCount } = await client.query(
    `UPDATE messages SET status = 'canceled', next_look = NULL, ended_at = now() WHERE status IN ('queued', 'sending')`,
  );
  const { rows } = await client.query(`SELECT FROM pg_class WHERE oid = to_regclass('fallbacks')`);
  if (rows.length > 0) {
    await client.query(
      `UPDATE messages SET content = content - 'fallback' WHERE status = 'sent' AND content ? 'fallback'`,
    );
    await client.query(
      `UPDATE fallbacks SET next_look = NULL, error_code = '${CANCELED}', error_message = 'Canceled because the database was restored without its unsent messages.'
       WHERE next_look IS NOT NULL`,
    );
  }
  return rowCount ?? 0;
}
