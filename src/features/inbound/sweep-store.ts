import { deleteInSteps, idDaysAgo, type SweepOptions } from '../../platform/store/sweep.js';

/** Emptied messages must be kept for longer than the few days in which carriers repeat unacknowledged reports. */
const REPETITION_DAYS = 30;

const DELETE_WITHOUT_CONVERSATION = `
DELETE FROM inbound_messages WHERE id IN (
  SELECT id FROM inbound_messages WHERE conversation_id IS NULL AND id < $2::uuid
  ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED)`;

export async function sweepInbound(options: SweepOptions): Promise<void> {
  await deleteInSteps(options, [
    { text: DELETE_WITHOUT_CONVERSATION, values: [idDaysAgo(options.now, REPETITION_DAYS)] },
  ]);
}
