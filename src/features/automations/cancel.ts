import type pg from 'pg';
import { emitRunCompleted } from '../../messages/events/automation-events.js';
import type { Clock } from '../../platform/clock.js';
import { AppError, notFound } from '../../platform/errors/app-error.js';
import type { Prisma } from '../../platform/generated/prisma/client.js';
import { type Connection, withTransaction } from '../../platform/store/with-transaction.js';
import { markRunCanceled, type RunRef } from './cancel-store.js';
import { type AutomationRun, getRunState } from './runs.js';

/** @throws {AppError} NOT_FOUND for an unknown run, or CONFLICT for a run that has already ended */
export async function cancelRun(
  { pool, prisma, clock }: { pool: Connection; prisma: Prisma.TransactionClient; clock: Clock },
  run: RunRef,
): Promise<AutomationRun> {
  const wasCanceled = await withTransaction(pool, (client) => cancelAndEmit(client, run, clock.now()));
  const current = await prisma.automationRun.findFirst({ where: { ...run } });
  if (!current) throw notFound('run');
  if (!wasCanceled) throw new AppError('CONFLICT', `The run is ${getRunState(current)} already.`);
  return current;
}

async function cancelAndEmit(client: pg.PoolClient, run: RunRef, now: Date): Promise<boolean> {
  const canceledRun = await markRunCanceled(client, run, now);
  if (!canceledRun) return false;
  const { id: runId, automationId, accountId, channelId } = run;
  const { contactId, phone, userId, username, startedAt } = canceledRun;
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
