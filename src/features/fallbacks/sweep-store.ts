import { deleteInSteps, idDaysAgo, type RetentionOptions } from '../../platform/store/sweep.js';

const DELETE_OLD = `
DELETE FROM fallbacks WHERE message_id IN (
  SELECT message_id FROM fallbacks WHERE message_id < $2::uuid AND next_look IS NULL ORDER BY message_id LIMIT $1)`;

export async function sweepFallbacks(options: RetentionOptions): Promise<void> {
  const { now, retentionDays } = options;
  if (retentionDays === 0) return;
  await deleteInSteps(options, [{ text: DELETE_OLD, values: [idDaysAgo(now, retentionDays)] }]);
}
