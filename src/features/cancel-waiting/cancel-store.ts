import type pg from 'pg';
import { cancelQueuedSql, requestCancellationSql, runCancellation } from '../../messages/cancel/cancel-store.js';
import { LONG_TIMEOUT_MS, type Statement } from '../../platform/store/connections/pool.js';

const CANCEL_CAMPAIGNS: Statement = {
  name: 'waiting-cancel-campaigns',
  text: `
WITH canceled AS (
  UPDATE campaigns SET status = 'canceled', next_look = NULL, paused_at = NULL
  WHERE account_id = $1 AND status IN ('scheduled', 'running') RETURNING id
), deleted_variables AS (
  DELETE FROM campaign_member_variables v USING canceled WHERE v.campaign_id = canceled.id
)
SELECT id FROM canceled`,
};

/** Returns the campaigns' IDs. */
export async function cancelCampaigns(client: pg.PoolClient, accountId: string): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>({ ...CANCEL_CAMPAIGNS, values: [accountId] });
  return rows.map(({ id }) => id);
}

const REASON = 'An operator canceled all waiting messages.';

const CANCEL_MESSAGES: Statement = {
  name: 'waiting-cancel-messages',
  text: cancelQueuedSql(`id = ANY (ARRAY(
    SELECT w.id FROM messages w
    WHERE w.priority BETWEEN 0 AND 3 AND w.next_look IS NOT NULL AND w.account_id = $2 AND w.created_at <= $3
      AND w.status IN ('queued', 'sending') AND w.lease_until IS NULL AND NOT w.maybe_accepted
    LIMIT $1::int))`),
  patienceMs: LONG_TIMEOUT_MS,
};

/** The caller must hold the account lock. */
export function cancelMessages(client: pg.PoolClient, accountId: string, limit: number, now: Date): Promise<number> {
  return runCancellation(client, CANCEL_MESSAGES, { id: String(limit), accountId }, now, REASON);
}

const CANCEL_CLAIMED: Statement = {
  name: 'waiting-cancel-held',
  text: requestCancellationSql('priority BETWEEN 0 AND 3 AND next_look IS NOT NULL AND created_at <= $1'),
  patienceMs: LONG_TIMEOUT_MS,
};

/**
 * Requests the cancellation of claimed messages, which a carrier may still accept. The caller must hold the account
 * lock.
 */
export async function cancelClaimedMessages(client: pg.PoolClient, accountId: string, until: Date): Promise<void> {
  await client.query({ ...CANCEL_CLAIMED, values: [until.toISOString(), accountId, REASON] });
}
