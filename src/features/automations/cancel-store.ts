import type pg from 'pg';
import type { Statement } from '../../platform/store/connections/pool.js';

export interface RunRef {
  id: string;
  automationId: string;
  accountId: string;
  channelId: string;
}

export interface CanceledRun {
  contactId: string;
  /** A number in digits with country code, or null if the contact is known only by user ID. */
  phone: string | null;
  userId: string | null;
  username: string | null;
  startedAt: Date;
}

const CANCEL: Statement = {
  name: 'runs-cancel',
  text: `
UPDATE automation_runs r SET status = 'failed', error_message = 'The run was canceled.', canceled_at = $5,
  completed_at = $5, due_at = NULL, lease_until = NULL
FROM contacts c
WHERE r.id = $1 AND r.automation_id = $2 AND r.account_id = $3 AND r.channel_id = $4 AND r.completed_at IS NULL
  AND c.id = r.contact_id
RETURNING r.contact_id AS "contactId", c.phone, c.user_id AS "userId", c.username, r.started_at AS "startedAt"`,
};

export async function markRunCanceled(client: pg.PoolClient, run: RunRef, now: Date): Promise<CanceledRun | null> {
  const values = [run.id, run.automationId, run.accountId, run.channelId, now.toISOString()];
  const { rows } = await client.query<CanceledRun>({ ...CANCEL, values });
  return rows[0] ?? null;
}
