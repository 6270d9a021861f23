import type pg from 'pg';
import { emitRunCompleted } from '../../../messages/events/automation-events.js';
import type { EndedRun } from '../../../messages/events/bodies.js';
import type { PlannedStatement } from '../../../platform/store/connections/pool.js';

/** Whoever does a step of a run holds its row, and then waits for its contact. */
const LOCK: PlannedStatement = {
  text: 'SELECT id FROM automation_runs WHERE contact_id = ANY($1::uuid[]) ORDER BY id FOR UPDATE',
};

/** Locks the runs of contacts; before the contacts themselves. */
export async function lockRuns(client: pg.PoolClient, contactIds: readonly string[]): Promise<void> {
  await client.query({ ...LOCK, values: [contactIds] });
}

/** One person has one run of an automation under way, as far as each was to be alone: the other contact's goes on. */
const END_SECOND: PlannedStatement = {
  text: `UPDATE automation_runs r SET status = 'failed', canceled_at = $3, completed_at = $3, due_at = NULL, lease_until = NULL,
           error_message = 'Another run of the automation is under way for the same contact.'
         WHERE r.contact_id = $1 AND r.alone AND r.completed_at IS NULL AND EXISTS (
           SELECT FROM automation_runs k WHERE k.automation_id = r.automation_id AND k.contact_id = $2 AND k.alone
             AND k.completed_at IS NULL)
         RETURNING r.id AS "runId", r.automation_id AS "automationId", r.channel_id AS "channelId",
           r.error_message AS "errorMessage", r.started_at AS "startedAt"`,
};

const MOVE: PlannedStatement = { text: 'UPDATE automation_runs SET contact_id = $2 WHERE contact_id = $1' };

/** Hands the runs of a contact over to another, in the caller's transaction, which has locked them. */
export async function moveRuns(
  client: pg.PoolClient,
  accountId: string,
  { from, to }: { from: string; to: Pick<EndedRun, 'contactId' | 'phone' | 'userId' | 'username'> },
  now: Date,
): Promise<void> {
  const { rows } = await client.query<Omit<EndedRun, 'status' | 'completedAt' | keyof typeof to>>({
    ...END_SECOND,
    values: [from, to.contactId, now.toISOString()],
  });
  for (const run of rows)
    await emitRunCompleted(client, accountId, { ...run, ...to, status: 'canceled', completedAt: now });
  await client.query({ ...MOVE, values: [from, to.contactId] });
}
