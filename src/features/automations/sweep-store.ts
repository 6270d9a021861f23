import { daysAgo, deleteInSteps, idDaysAgo, type RetentionOptions } from '../../platform/store/sweep.js';

/** Run IDs are ordered by start time, so a limit by ID includes every run that ended before the cutoff. */
const DELETE_ENDED = `
DELETE FROM automation_runs WHERE id IN (
  SELECT id FROM automation_runs WHERE id < $2::uuid AND completed_at < $3
  ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED)`;

export async function sweepRuns(options: RetentionOptions): Promise<void> {
  const { now, retentionDays } = options;
  if (retentionDays === 0) return;
  const values = [idDaysAgo(now, retentionDays), daysAgo(now, retentionDays)];
  await deleteInSteps(options, [{ text: DELETE_ENDED, values }]);
}
