import type pg from 'pg';

/**
 * Cancels, without a refund and untold, every message that no carrier has taken: a copy of a store does not know whether
 * the server that it came from has sent it since.
 * @returns how many it canceled
 */
export async function cancelUnsent(client: Pick<pg.ClientBase, 'query'>): Promise<number> {
  const { rowCount } = await client.query(
    `UPDATE messages SET status = 'canceled', next_look = NULL, ended_at = now() WHERE status IN ('queued', 'sending')`,
  );
  return rowCount ?? 0;
}
