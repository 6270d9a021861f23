import { deleteInSteps, idDaysAgo, type SweepOptions } from '../../platform/store/sweep.js';

/** A carrier that got no answer reports an inbound message again for days; that of a deleted contact is known so long. */
const SEEN_DAYS = 30;

const DELETE_WITHOUT_CONVERSATION = `
DELETE FROM inbound_messages WHERE id IN (
  SELECT id FROM inbound_messages WHERE conversation_id IS NULL AND id < $2::uuid
  ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED)`;

/** Deletes inbound messages of deleted contacts once no carrier repeats them any more. */
export async function sweepInbound(options: SweepOptions): Promise<void> {
  await deleteInSteps(options, [{ text: DELETE_WITHOUT_CONVERSATION, values: [idDaysAgo(options.now, SEEN_DAYS)] }]);
}
