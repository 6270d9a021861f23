import type pg from 'pg';
import type { Statement } from '../../platform/store/connections/pool.js';

const HAS_APPROVED: Statement = {
  name: 'templates-has-approved',
  text: `SELECT FROM templates WHERE channel_id = $1 AND name = $2 AND language = $3 AND status = 'APPROVED'`,
};

export async function hasApprovedTemplate(
  pool: pg.Pool,
  channelId: string,
  name: string,
  language: string,
): Promise<boolean> {
  const { rowCount } = await pool.query({ ...HAS_APPROVED, values: [channelId, name, language] });
  return rowCount === 1;
}
