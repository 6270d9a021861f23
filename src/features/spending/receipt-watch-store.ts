import type pg from 'pg';
import { SHORTEST_PHONE } from '../../carriers/numbers/phone-numbers.js';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';

/** Messages that are looked at, the latest first. */
const LATEST = 5_000;
/** Of so many that have ended in a block, and this share of them failed, it is held. */
const ENDED = 20;
const FAILED_SHARE = 0.8;

const WATCHED: PlannedStatement = {
  text: `SELECT id, spend_guard AS "spendGuard" FROM accounts WHERE spend_guard -> 'watch' IS NOT NULL AND is_active`,
};

/** Accounts that may be watched, with their guards as they are stored. */
export async function findWatchedAccounts(pool: pg.Pool): Promise<{ id: string; spendGuard: unknown }[]> {
  const { rows } = await pool.query<{ id: string; spendGuard: unknown }>(WATCHED);
  return rows;
}

/**
 * What was canceled or opted out of says nothing of the numbers. Campaigns are not looked at, and nor are user ids, short
 * codes and names, which are of no block.
 */
const FAILING: PlannedStatement = {
  text: `
WITH latest AS MATERIALIZED (
  SELECT recipient, status, campaign_id, created_at FROM messages WHERE account_id = $1 ORDER BY id DESC LIMIT ${LATEST}
)
SELECT left(recipient, -$3::int) AS block, count(*) FILTER (WHERE status IN ('failed', 'undelivered', 'expired'))::int AS failed
FROM latest
WHERE created_at > $2 AND campaign_id IS NULL AND recipient ~ '^[0-9]{${SHORTEST_PHONE},}$'
  AND status IN ('failed', 'undelivered', 'expired', 'delivered', 'read')
GROUP BY 1
HAVING count(*) >= ${ENDED}
  AND count(*) FILTER (WHERE status IN ('failed', 'undelivered', 'expired')) >= ${FAILED_SHARE} * count(*)`,
};

/**
 * Blocks of numbers most of whose messages failed.
 * @param since the moment from which messages are looked at
 * @param digits that numbers of a block end in
 */
export async function findFailingBlocks(
  pool: pg.Pool,
  accountId: string,
  since: Date,
  digits: number,
): Promise<{ block: string; failed: number }[]> {
  const { rows } = await pool.query<{ block: string; failed: number }>({
    ...FAILING,
    values: [accountId, since.toISOString(), digits],
  });
  return rows;
}
