import type pg from 'pg';
import type { Statement } from '../../../platform/store/connections/pool.js';

export interface SendResult {
  /**
   * Status `sent` for a message that a carrier accepted, even if a receipt came later, and the final status for other messages.
   */
  status: 'sent' | 'failed' | 'rejected' | 'expired' | 'canceled';
  carrierMessageId: string | null;
  errorCode: string | null;
  errorMessage: string | null;
}

const FIND_RESULTS: Statement = {
  name: 'results-find',
  text: `SELECT m.id, CASE WHEN m.sent_at IS NOT NULL THEN 'sent' ELSE m.status::text END AS status,
                m.carrier_message_id AS "carrierMessageId", m.error_code AS "errorCode",
                m.error_message AS "errorMessage"
         FROM unnest($1::uuid[]) AS waiting(id) JOIN messages m ON m.id = waiting.id
         WHERE m.status NOT IN ('queued', 'sending')`,
};

/** In any order. */
export async function findResults(
  pool: pg.Pool,
  messageIds: readonly string[],
): Promise<(SendResult & { id: string })[]> {
  const { rows } = await pool.query<SendResult & { id: string }>({ ...FIND_RESULTS, values: [messageIds] });
  return rows;
}
