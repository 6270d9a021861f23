import type pg from 'pg';
import type { PlannedStatement } from '../../platform/store/pool.js';

/**
 * Notes which accounts have fallen below their threshold since the last look, or come up to it again, and tells the
 * account's webhooks of the former, in one transaction. Accounts are locked in the order of their ids, as everywhere; of
 * two processes that look at once, the second finds what the first has noted.
 */
const CROSS: PlannedStatement = {
  text: `
WITH crossing AS MATERIALIZED (
  SELECT id FROM accounts
  WHERE low_balance_micros IS NOT NULL AND low_balance_told <> (balance_micros < low_balance_micros)
  ORDER BY id FOR NO KEY UPDATE
), crossed AS (
  UPDATE accounts a SET low_balance_told = a.balance_micros < a.low_balance_micros
  FROM crossing WHERE a.id = crossing.id AND a.low_balance_told <> (a.balance_micros < a.low_balance_micros)
  RETURNING a.id, a.low_balance_told, a.balance_micros, a.low_balance_micros, a.currency, a.balance_changed_at
)
INSERT INTO webhook_deliveries (id, webhook_id, type, data, occurred_at)
SELECT new_id(), w.id, 'account.balance_low', jsonb_build_object(
  'accountId', c.id, 'balance', trim_scale(c.balance_micros / 1000000.0),
  'threshold', trim_scale(c.low_balance_micros / 1000000.0), 'currency', c.currency
), c.balance_changed_at
FROM crossed c JOIN webhooks w ON w.account_id = c.id AND w.channel_id IS NULL AND w.is_active
  AND 'account.balance_low' = ANY(w.events)
WHERE c.low_balance_told`,
};

/** Returns how many events it wrote. */
export async function tellLowBalances(pool: pg.Pool): Promise<number> {
  return (await pool.query(CROSS)).rowCount ?? 0;
}
