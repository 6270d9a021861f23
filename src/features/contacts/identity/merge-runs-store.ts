import type pg from 'pg';
import { emitRunCompleted } from '../../../messages/events/automation-events.js';
import type { CompletedRun } from '../../../messages/events/webhook-events.js';
import type { PlannedStatement } from '../../../platform/store/connections/pool.js';

/** A runner locks the run first and then waits for its contact, so runs must be locked before contacts. */
const LOCK: PlannedStatement = {
  text: 'SELECT id FROM automation_runs WHERE contact_id = ANY($1::uuid[]) ORDER BY id FOR UPDATE',
};

/** Call this function before locking the contacts. */
export async function lockRuns(client: pg.PoolClient, contactIds: readonly string[]): Promise<void> {
  await client.query({ ...LOCK, values: [contactIds] });
}

/** A person may have only one active run of an automation, except for runs started as `concurrent`. */
const CANCEL_DUPLICATES: PlannedStatement = {
  text: `UPDATE automation_runs r SET status = 'failed', canceled_at = $3, completed_at = $3, due_at = NULL, lease_until = NULL,
           error_message = 'Another run of the automation is under way for the same contact.'
         WHERE r.contact_id = $1 AND r.alone AND r.completed_at IS NULL AND EXISTS (
           SELECT FROM automation_runs k WHERE k.automation_id = r.automation_id AND k.contact_id = $2 AND k.alone
             AND k.completed_at IS NULL)
         RETURNING r.id AS "runId", r.automation_id AS "automationId", r.channel_id AS "channelId",
           r.error_message AS "errorMessage", r.started_at AS "startedAt"`,
};

const MOVE: PlannedStatement = { text: 'UPDATE automation_runs SET contact_id = $2 WHERE contact_id = $1' };

/** The caller must have locked the runs. */
export async function moveRuns(
  client: pg.PoolClient,
  accountId: string,
  { from, to }: { from: string; to: Pick<CompletedRun, 'contactId' | 'phone' | 'userId' | 'username'> },
  now: Date,
): Promise<void> {
  const { rows } = await client.query<Omit<CompletedRun, 'status' | 'completedAt' | keyof typeof to>>({
    ...CANCEL_DUPLICATES,
    values: [from, to.contactId, now.toISOString()],
  });
  for (const run of rows)
    await emitRunCompleted(client, accountId, { ...run, ...to, status: 'canceled', completedAt: now });
  await client.query({ ...MOVE, values: [from, to.contactId] });
}
