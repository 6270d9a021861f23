import { daysAgo, deleteInSteps, type SweepOptions } from '../../platform/store/sweep.js';

/** For how many days a cursor of `GET /v2/changes` can be continued from. */
export const CHANGES_DAYS = 7;
/** What is deleted is this much older: a row has the time at which its transaction began, and clocks differ. */
const MARGIN_DAYS = 0.25;
/** A cursor is taken for a while longer than that, so that who began with the oldest change has the time to go on. */
export const CURSOR_DAYS = CHANGES_DAYS + MARGIN_DAYS / 2;

const DELETE = `
DELETE FROM message_changes WHERE (account_id, xid, id) IN (
  SELECT account_id, xid, id FROM message_changes WHERE created_at < $2 ORDER BY created_at LIMIT $1)`;

/** Deletes changes that no cursor leads to any more. */
export async function sweepChanges(options: SweepOptions): Promise<void> {
  await deleteInSteps(options, [{ text: DELETE, values: [daysAgo(options.now, CHANGES_DAYS + MARGIN_DAYS)] }]);
}
