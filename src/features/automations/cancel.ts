import type pg from 'pg';
import { emitRunCompleted } from '../../messages/events/automation-events.js';
import type { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors/app-error.js';
import type { Prisma } from '../../platform/generated/prisma/client.js';
import { type Connection, within } from '../../platform/store/within.js';
import { type RunRef, setRunCanceled } from './cancel-store.js';
import { type AutomationRun, stateOf } from './runs.js';

/**
 * Has a run that is under way do no further step, and tells the channel's webhooks. Messages that it has committed go
 * out.
 * @returns the run as it is now
 * @throws {AppError} CONFLICT when it has ended already; NOT_FOUND when the channel has no such automation or run
 */
export async function cancelRun(
  { pool, prisma, clock }: { pool: Connection; prisma: Prisma.TransactionClient; clock: Clock },
  run: RunRef,
): Promise<AutomationRun> {
  const canceled = await within(pool, (client) => cancel(client, run, clock.now()));
  const stands = await prisma.automationRun.findFirst({ where: { ...run } });
  if (!stands) throw new AppError('NOT_FOUND', 'There is no run with this id.');
  if (!canceled) throw new AppError('CONFLICT', `The run is ${stateOf(stands)} already.`);
  return stands;
}

async function cancel(client: pg.PoolClient, run: RunRef, now: Date): Promise<boolean> {
  const canceled = await setRunCanceled(client, run, now);
  if (!canceled) return false;
  const { id: runId, automationId, accountId, channelId } = run;
  const { contactId, phone, userId, username, startedAt } = canceled;
  await emitRunCompleted(client, accountId, {
    runId,
    automationId,
    channelId,
    contactId,
    phone,
    userId,
    username,
    status: 'canceled',
    errorMessage: null,
    startedAt,
    completedAt: now,
  });
  return true;
}
