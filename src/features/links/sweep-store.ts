import { daysAgo, deleteInSteps, idDaysAgo, type RetentionOptions } from '../../platform/store/sweep.js';

/** After this time, visitors of an expired link get the same response as for a link that never existed. */
const TOMBSTONE_DAYS = 400;

/** IDs of messages begin with their time. Links are kept no longer than their messages. */
const EXPIRE = `
WITH expired AS (
  DELETE FROM links WHERE code IN (
    SELECT code FROM links WHERE message_id < $2::uuid ORDER BY message_id LIMIT $1 FOR UPDATE SKIP LOCKED)
  RETURNING code, account_id
)
INSERT INTO expired_links (code, account_id, expired_at) SELECT code, account_id, $3::timestamptz FROM expired
ON CONFLICT (code) DO NOTHING`;

const FORGET = `
DELETE FROM expired_links WHERE code IN (SELECT code FROM expired_links WHERE expired_at < $2 LIMIT $1)`;

export async function sweepLinks(options: RetentionOptions): Promise<void> {
  const { now, retentionDays } = options;
  await deleteInSteps(options, [
    ...(retentionDays === 0 ? [] : [{ text: EXPIRE, values: [idDaysAgo(now, retentionDays), now.toISOString()] }]),
    { text: FORGET, values: [daysAgo(now, TOMBSTONE_DAYS)] },
  ]);
}
