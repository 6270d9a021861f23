import { deleteInSteps, idDaysAgo, type RetentionOptions, runInSteps } from '../../platform/store/sweep.js';
import { WINDOW_SECONDS } from './limits.js';

const ERASE_EXPIRED_CODES = `
UPDATE verifications SET code_hash = NULL, sealed_code = NULL WHERE id IN (
  SELECT id FROM verifications WHERE sealed_code IS NOT NULL AND expires_at < $2 LIMIT $1)`;

const DELETE_RECIPIENTS = `
DELETE FROM verification_recipients WHERE touched_at < $2 AND (account_id, recipient) IN (
  SELECT account_id, recipient FROM verification_recipients WHERE touched_at < $2 LIMIT $1)`;

const DELETE_OLD = `
DELETE FROM verifications WHERE id IN (SELECT id FROM verifications WHERE id < $2::uuid ORDER BY id LIMIT $1)`;

export async function sweepVerifications(options: RetentionOptions): Promise<void> {
  const { now, retentionDays } = options;
  await runInSteps(options, { text: ERASE_EXPIRED_CODES, values: [now] });
  const cutoff = new Date(now.getTime() - WINDOW_SECONDS * 1000);
  await deleteInSteps(options, [{ text: DELETE_RECIPIENTS, values: [cutoff] }]);
  if (retentionDays === 0) return;
  await deleteInSteps(options, [{ text: DELETE_OLD, values: [idDaysAgo(now, retentionDays)] }]);
}
