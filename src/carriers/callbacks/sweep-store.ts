import { daysAgo, deleteInSteps, type SweepOptions } from '../../platform/store/sweep.js';

const CALLBACK_DAYS = 35;

const DELETE_SET_ASIDE = `
DELETE FROM carrier_callbacks WHERE id IN (SELECT id FROM carrier_callbacks WHERE set_aside_at <= $2 LIMIT $1)`;

export async function sweepCallbacks(options: SweepOptions): Promise<void> {
  await deleteInSteps(options, [{ text: DELETE_SET_ASIDE, values: [daysAgo(options.now, CALLBACK_DAYS)] }]);
}
