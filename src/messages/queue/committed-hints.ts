import type { Turns } from '../../platform/turns.js';
import type { PendingRequest } from '../accept/pending-request.js';
import { type DueMessage, JOB_MESSAGES } from './jobs.js';
import type { SendHints } from './send-hints.js';

/** Messages of a large request that are told of at once. */
const SLICE_MESSAGES = 500;

/**
 * Tells workers which messages of a commit are due. What is scheduled for later is found by the relay when its time has
 * come.
 */
export async function hintAtCommitted(
  { hints, turns }: { hints: Pick<SendHints, 'add'>; turns: Turns },
  committed: readonly PendingRequest[],
): Promise<void> {
  const due = committed.filter(({ request }) => request.scheduledAt === undefined);
  const large = due.filter(({ ids }) => ids.length > SLICE_MESSAGES);
  const small = large.length === 0 ? due : due.filter(({ ids }) => ids.length <= SLICE_MESSAGES);
  if (small.length > 0) void hints.add(small.flatMap((pending) => dueMessages(pending, 0)));
  const work = turns.begin();
  for (const pending of large) {
    for (let start = 0; start < pending.ids.length; start += SLICE_MESSAGES) {
      await work.take();
      void hints.add(dueMessages(pending, start));
    }
  }
}

/** @param start index of the first message; those of a slice follow */
function dueMessages({ ids, carriers, request }: PendingRequest, start: number): DueMessage[] {
  const { account, campaignId = null, priority, carrier, origin } = request;
  const flows = ids.length <= JOB_MESSAGES;
  return ids.slice(start, start + SLICE_MESSAGES).map((id, index) => ({
    id,
    accountId: account.id,
    campaignId,
    priority,
    carrier: carriers?.[start + index] ?? carrier,
    flows,
    traceparent: origin?.traceparent,
  }));
}
