import type pg from 'pg';
import { insertBalanceLowSql } from '../../messages/events/outbox-store.js';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';

/**
 * Accounts locked by another session are skipped until the next pass, which also prevents duplicate events from
 * concurrent processes.
 */
const UPDATE_CROSSINGS: PlannedStatement = {
  text: `
WITH crossing AS MATERIALIZED (
  SELECT id FROM accounts
  WHERE low_balance_micros IS NOT NULL AND low_balance_told <> (balance_micros < low_balance_micros)
  ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
), crossed AS (
  UPDATE accounts a SET low_balance_told = a.balance_micros < a.low_balance_micros
  FROM crossing WHERE a.id = crossing.id AND a.low_balance_told <> (a.balance_micros < a.low_balance_micros)
  RETURNING a.id, a.low_balance_told, a.balance_micros, a.low_balance_micros, a.currency, a.balance_changed_at
), fallen AS (SELECT * FROM crossed WHERE low_balance_told)${insertBalanceLowSql('fallen')}`,
};

export async function emitLowBalances(pool: pg.Pool): Promise<number> {
  return (await pool.query(UPDATE_CROSSINGS)).rowCount ?? 0;
}
