import type { Turns } from '../../platform/turns.js';
import { type DueMessage, JOB_MESSAGES } from '../queue/jobs.js';
import type { SendHints } from '../queue/send-hints.js';
import type { PendingRequest } from './pending-request.js';

const SLICE_MESSAGES = 500;

export async function addCommittedHints(
  { hints, turns }: { hints: Pick<SendHints, 'add'>; turns: Turns },
  committed: readonly PendingRequest[],
): Promise<void> {
  const unscheduled = committed.filter(({ request }) => request.scheduledAt === undefined);
  const large = unscheduled.filter(({ ids }) => ids.length > SLICE_MESSAGES);
  const small = large.length === 0 ? unscheduled : unscheduled.filter(({ ids }) => ids.length <= SLICE_MESSAGES);
  if (small.length > 0) void hints.add(small.flatMap((pending) => toDueMessages(pending, 0)));
  const work = turns.startWork();
  for (const pending of large) {
    for (let start = 0; start < pending.ids.length; start += SLICE_MESSAGES) {
      await work.waitForTurn();
      void hints.add(toDueMessages(pending, start));
    }
  }
}

function toDueMessages({ ids, carriers, request }: PendingRequest, start: number): DueMessage[] {
  const { account, campaignId = null, priority, carrier, origin } = request;
  const isFlowing = ids.length <= JOB_MESSAGES;
  return ids.slice(start, start + SLICE_MESSAGES).map(
    (id, index): DueMessage => ({
      id,
      accountId: account.id,
      campaignId,
      priority,
      carrier: carriers?.[start + index] ?? carrier,
      isFlowing,
      traceparent: origin?.traceparent,
    }),
  );
}
