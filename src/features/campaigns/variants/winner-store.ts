import type pg from 'pg';
import type { PlannedStatement } from '../../../platform/store/connections/pool.js';
import { CLICKED_AT, REPLIED_AT } from '../responses-sql.js';
import type { Criterion, VariantEvents, Winner } from './variants.js';

const EVENT_SQL: Readonly<Record<Criterion, string>> = {
  delivered: `m.status IN ('delivered', 'read')`,
  read: `m.status = 'read'`,
  replied: `m.sent_at IS NOT NULL AND ${REPLIED_AT} IS NOT NULL`,
  clicked: `${CLICKED_AT} IS NOT NULL`,
};

const buildCount = (criterion: Criterion): PlannedStatement => ({
  text: `SELECT m.campaign_variant AS variant, count(*)::int AS messages,
           count(*) FILTER (WHERE ${EVENT_SQL[criterion]})::int AS events
         FROM messages m WHERE m.campaign_id = $1 AND m.campaign_variant IS NOT NULL GROUP BY 1 ORDER BY 1`,
});

export async function countEvents(pool: pg.Pool, campaignId: string, criterion: Criterion): Promise<VariantEvents[]> {
  const { rows } = await pool.query<VariantEvents>({ ...buildCount(criterion), values: [campaignId] });
  return rows;
}

const SET_TEST_END: PlannedStatement = {
  text: `UPDATE campaigns SET test_ends_at = $2, next_look = now() WHERE id = $1 AND status = 'running' AND paused_at IS NULL
           AND test_ends_at IS NULL`,
};

/** @param endsAt business time */
export async function setTestEnd(pool: pg.Pool, campaignId: string, endsAt: Date): Promise<void> {
  await pool.query({ ...SET_TEST_END, values: [campaignId, endsAt.toISOString()] });
}

/**
 * Starts again with the first member, because members who were not in the test are anywhere in the group. Members who were
 * skipped, refused or capped in the test get another turn, so their counts restart.
 */
const SET_WINNER: PlannedStatement = {
  text: `UPDATE campaigns SET winner = $2, winner_reason = $3, cursor = NULL, skipped_count = 0, refused_count = 0,
           capped_count = 0, next_look = now()
         WHERE id = $1 AND status = 'running' AND paused_at IS NULL AND winner IS NULL`,
};

export async function setWinner(pool: pg.Pool, campaignId: string, { variant, reason }: Winner): Promise<void> {
  await pool.query({ ...SET_WINNER, values: [campaignId, variant, reason] });
}
