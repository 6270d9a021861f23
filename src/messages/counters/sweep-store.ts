import { daysAgo, deleteInSteps, type SweepOptions } from '../../platform/store/sweep.js';

/** Counts are kept for thirteen months, so that a month can be compared with the same month of the previous year. */
const COUNT_DAYS = 400;

/** Deletes counts per account, because the primary key starts with the account. */
const DELETE_HOURS = `
DELETE FROM hourly_counts WHERE (account_id, hour, channel_id, kind, carrier, calling_code, event, slot) IN (
  SELECT old.* FROM accounts a CROSS JOIN LATERAL (
    SELECT account_id, hour, channel_id, kind, carrier, calling_code, event, slot FROM hourly_counts
    WHERE account_id = a.id AND hour < $2 ORDER BY hour LIMIT $1) old LIMIT $1)`;

export async function sweepCounts(options: SweepOptions): Promise<void> {
  await deleteInSteps(options, [{ text: DELETE_HOURS, values: [daysAgo(options.now, COUNT_DAYS)] }]);
}
