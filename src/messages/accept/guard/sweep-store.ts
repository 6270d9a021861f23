import { daysAgo, deleteInSteps, type RetentionOptions } from '../../../platform/store/sweep.js';

/** What is over for a day is asked for no more, whichever clock a process has. */
const KEPT_MS = 24 * 60 * 60 * 1000;

const DELETE_OVER = `
DELETE FROM spend_counts WHERE ends_at < $2 AND (account_id, scope, subject, span, ends_at, key_id) IN (
  SELECT account_id, scope, subject, span, ends_at, key_id FROM spend_counts WHERE ends_at < $2 LIMIT $1)`;

/** Days for which it is told what was held. */
const HOLD_DAYS = 30;

const DELETE_HOLDS = `
DELETE FROM spend_holds WHERE id IN (SELECT id FROM spend_holds WHERE until < $2::timestamptz LIMIT $1)`;

/** Deletes what was counted for limits whose span is over, and what was held a month ago. */
export async function sweepSpent(options: RetentionOptions): Promise<void> {
  await deleteInSteps(options, [{ text: DELETE_HOLDS, values: [daysAgo(options.now, HOLD_DAYS)] }]);
  await deleteInSteps(options, [{ text: DELETE_OVER, values: [new Date(options.now.getTime() - KEPT_MS)] }]);
}
