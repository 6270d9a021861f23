import { daysAgo, deleteInSteps, type RetentionOptions } from '../../../platform/store/sweep.js';

/** Spend counters are kept this long after their period ends, because the clocks of processes differ. */
const RETENTION_MS = 24 * 60 * 60 * 1000;

const DELETE_ENDED = `
DELETE FROM spend_counts WHERE ends_at < $2 AND (account_id, scope, subject, span, ends_at, key_id) IN (
  SELECT account_id, scope, subject, span, ends_at, key_id FROM spend_counts WHERE ends_at < $2 LIMIT $1)`;

const HOLD_DAYS = 30;

const DELETE_HOLDS = `
DELETE FROM spend_holds WHERE id IN (SELECT id FROM spend_holds WHERE until < $2::timestamptz LIMIT $1)`;

export async function sweepSpendCounts(options: RetentionOptions): Promise<void> {
  await deleteInSteps(options, [{ text: DELETE_HOLDS, values: [daysAgo(options.now, HOLD_DAYS)] }]);
  await deleteInSteps(options, [{ text: DELETE_ENDED, values: [new Date(options.now.getTime() - RETENTION_MS)] }]);
}
