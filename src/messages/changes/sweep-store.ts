import { daysAgo, deleteInSteps, type SweepOptions } from '../../platform/store/sweep.js';

/** Days for which a cursor of `GET /v2/changes` stays valid. */
export const CHANGES_DAYS = 7;
/** Changes are kept slightly longer, because a row has the start time of its transaction, and clocks differ. */
const MARGIN_DAYS = 0.25;
/**
 * Cursors are accepted slightly longer than changes are listed, so that a client that starts with the oldest change can
 * continue.
 */
export const CURSOR_DAYS = CHANGES_DAYS + MARGIN_DAYS / 2;

const DELETE = `
DELETE FROM message_changes WHERE (account_id, xid, id) IN (
  SELECT account_id, xid, id FROM message_changes WHERE created_at < $2 ORDER BY created_at LIMIT $1)`;

export async function sweepChanges(options: SweepOptions): Promise<void> {
  await deleteInSteps(options, [{ text: DELETE, values: [daysAgo(options.now, CHANGES_DAYS + MARGIN_DAYS)] }]);
}
