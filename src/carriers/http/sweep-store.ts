import { daysAgo, deleteInSteps, type SweepOptions } from '../../platform/store/sweep.js';

const CALL_DAYS = 7;
export const MAX_STORED_CALLS = 10_000;

const DELETE_OLD = 'DELETE FROM carrier_calls WHERE id IN (SELECT id FROM carrier_calls WHERE at < $2 LIMIT $1)';

const DELETE_MANY = `
DELETE FROM carrier_calls WHERE id IN (
  SELECT many.id FROM (SELECT DISTINCT carrier, failed FROM carrier_calls) kept CROSS JOIN LATERAL (
    SELECT id FROM carrier_calls WHERE carrier = kept.carrier AND failed = kept.failed ORDER BY id DESC OFFSET $2
  ) many LIMIT $1)`;

export async function sweepCalls(options: SweepOptions): Promise<void> {
  await deleteInSteps(options, [
    { text: DELETE_OLD, values: [daysAgo(options.now, CALL_DAYS)] },
    { text: DELETE_MANY, values: [MAX_STORED_CALLS] },
  ]);
}
