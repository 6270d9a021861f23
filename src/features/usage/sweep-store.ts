import { daysAgo, deleteInSteps, type SweepOptions } from '../../platform/store/sweep.js';

/** `last7Days` needs nothing older. */
const USAGE_DAYS = 8;
const KEPT_REQUESTS = 20;

const DELETE_REQUESTS = `
DELETE FROM api_requests WHERE id IN (
  SELECT old.id FROM usage_totals t CROSS JOIN LATERAL (
    SELECT id FROM api_requests
    WHERE channel_id = t.channel_id AND created_at <= $2 AND created_at < (
      SELECT created_at FROM api_requests WHERE channel_id = t.channel_id
      ORDER BY created_at DESC OFFSET ${KEPT_REQUESTS - 1} LIMIT 1)
    ORDER BY created_at LIMIT $1) old LIMIT $1)`;

const DELETE_MINUTES = `
DELETE FROM usage_minutes WHERE (channel_id, minute) IN (
  SELECT t.channel_id, old.minute FROM usage_totals t CROSS JOIN LATERAL (
    SELECT minute FROM usage_minutes WHERE channel_id = t.channel_id AND minute <= $2
    ORDER BY minute LIMIT $1) old LIMIT $1)`;

export async function sweepUsage(options: SweepOptions): Promise<void> {
  const values = [daysAgo(options.now, USAGE_DAYS)];
  await deleteInSteps(options, [
    { text: DELETE_REQUESTS, values },
    { text: DELETE_MINUTES, values },
  ]);
}
