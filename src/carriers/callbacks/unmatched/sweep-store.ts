import { deleteInSteps, idDaysAgo, type SweepOptions } from '../../../platform/store/sweep.js';

const DELETE_OLD = `
DELETE FROM kept_reports WHERE id IN (SELECT id FROM kept_reports WHERE id < $2::uuid ORDER BY id LIMIT $1)`;

/** If `keptDays` is 0, no report is deleted. */
export async function sweepUnmatched(options: SweepOptions & { keptDays: number }): Promise<void> {
  if (options.keptDays === 0) return;
  await deleteInSteps(options, [{ text: DELETE_OLD, values: [idDaysAgo(options.now, options.keptDays)] }]);
}
