import type pg from 'pg';
import { SHORTEST_PHONE } from '../../carriers/numbers/phone-numbers.js';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';

const MAX_MESSAGES = 5_000;
/** A block of numbers is held if at least MIN_ENDED of its messages ended and MIN_FAILED_SHARE of those failed. */
const MIN_ENDED = 20;
const MIN_FAILED_SHARE = 0.8;

const FIND_WATCHED: PlannedStatement = {
  text: `SELECT id, spend_guard AS "spendGuard" FROM accounts WHERE spend_guard -> 'watch' IS NOT NULL AND is_active`,
};

export async function findWatchedAccounts(pool: pg.Pool): Promise<{ id: string; spendGuard: unknown }[]> {
  const { rows } = await pool.query<{ id: string; spendGuard: unknown }>(FIND_WATCHED);
  return rows;
}

/**
 * Ignores campaigns, canceled messages, and messages to recipients who opted out. User IDs, short codes and names
 * belong to no block of numbers.
 */
const FIND_FAILING: PlannedStatement = {
  text: `
WITH latest AS MATERIALIZED (
  SELECT recipient, status, campaign_id, created_at FROM messages WHERE account_id = $1 ORDER BY id DESC LIMIT ${MAX_MESSAGES}
)
SELECT left(recipient, -$3::int) AS block, count(*) FILTER (WHERE status IN ('failed', 'undelivered', 'expired'))::int AS failed
FROM latest
WHERE created_at > $2 AND campaign_id IS NULL AND recipient ~ '^[0-9]{${SHORTEST_PHONE},}$'
  AND status IN ('failed', 'undelivered', 'expired', 'delivered', 'read')
GROUP BY 1
HAVING count(*) >= ${MIN_ENDED}
  AND count(*) FILTER (WHERE status IN ('failed', 'undelivered', 'expired')) >= ${MIN_FAILED_SHARE} * count(*)`,
};

/** @param digits the number of trailing digits that vary within a block */
export async function findFailingBlocks(
  pool: pg.Pool,
  accountId: string,
  since: Date,
  digits: number,
): Promise<{ block: string; failed: number }[]> {
  const { rows } = await pool.query<{ block: string; failed: number }>({
    ...FIND_FAILING,
    values: [accountId, since.toISOString(), digits],
  });
  return rows;
}
