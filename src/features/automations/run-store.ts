import type pg from 'pg';
import { emitRunCompleted } from '../../messages/events/automation-events.js';
import type { Statement } from '../../platform/store/connections/pool.js';
import { pickFields } from '../contacts/contact-fields.js';
import { selectFieldColumns } from '../contacts/contact-fields-sql.js';
import type { CustomValues } from '../contacts/custom/field-values.js';
import type { ContactPerson } from '../contacts/record.js';
import type { ChannelSender } from '../conversations/sending/compose.js';
import { toChannelSender } from '../conversations/sending/sender-row.js';
import type { Step } from './steps.js';

/** Leased by this process. */
export interface OwnedRun {
  id: string;
  automationId: string;
  steps: Step[];
  /** Index in `steps`. */
  step: number;
  variables: Record<string, string>;
  startedAt: Date;
  sender: ChannelSender;
  contact: ContactPerson & { fields: CustomValues | null };
}

/** How long a lease lasts by PostgreSQL's clock, unless a step renews it. */
const LEASE_SECONDS = 30;

/**
 * Checks the account in a subquery for each due run, because a join would first read every version of the account rows.
 */
const CLAIM: Statement = {
  name: 'runs-claim',
  text: `
WITH due AS (
  SELECT id FROM automation_runs WHERE due_at <= $1 AND (lease_until IS NULL OR lease_until < now())
    AND (SELECT a.is_active FROM accounts a WHERE a.id = automation_runs.account_id)
  ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED
), claimed AS (
  UPDATE automation_runs r SET status = 'running', lease_until = now() + $3 * interval '1 second'
  FROM due WHERE r.id = due.id
  RETURNING r.*
)
SELECT r.id, r.automation_id, r.steps, r.step, r.variables, r.started_at, r.account_id, r.channel_id, a.currency,
       a.rate_card_id, a.spend_guard, a.frequency_cap, h.kind, h.phone_number, h.carrier, h.is_active, c.id AS contact_id, c.phone, c.user_id, c.username, ${selectFieldColumns('c.')}, c.fields
FROM claimed r
JOIN accounts a ON a.id = r.account_id
JOIN channels h ON h.id = r.channel_id
JOIN contacts c ON c.id = r.contact_id`,
};

/** `now` is business time. */
export async function claimRuns(pool: pg.Pool, now: Date, limit: number): Promise<OwnedRun[]> {
  const { rows } = await pool.query({ ...CLAIM, values: [now.toISOString(), limit, LEASE_SECONDS] });
  return rows.map((row) => ({
    id: row.id,
    automationId: row.automation_id,
    steps: row.steps,
    step: row.step,
    variables: row.variables,
    startedAt: row.started_at,
    sender: toChannelSender(row),
    contact: {
      id: row.contact_id,
      phone: row.phone,
      userId: row.user_id,
      username: row.username,
      ...pickFields(row as ContactPerson),
      fields: row.fields,
    },
  }));
}

const ADVANCE: Statement = {
  name: 'runs-move-on',
  text: `
UPDATE automation_runs SET step = $3, due_at = $4, status = $5::run_status, failures = 0,
  lease_until = CASE WHEN $6 THEN now() + $7 * interval '1 second' END
WHERE id = $1 AND step = $2 AND completed_at IS NULL`,
};

export interface RunDelay {
  /** The status is `waiting` during a wait step, and `running` while the run's last message is being sent. */
  status: 'waiting' | 'running';
  until: Date;
}

/**
 * Call this function first in the step's transaction, because it locks the run. Returns false if the run is gone or
 * past this step, in which case the caller must roll back.
 * @param delay Null to continue immediately
 */
export async function advanceRun(
  client: pg.PoolClient,
  run: OwnedRun,
  now: Date,
  delay: RunDelay | null,
): Promise<boolean> {
  const { until, status } = delay ?? { until: now, status: 'running' };
  const { rowCount } = await client.query({
    ...ADVANCE,
    values: [run.id, run.step, run.step + 1, until.toISOString(), status, delay === null, LEASE_SECONDS],
  });
  return rowCount === 1;
}

const RESUME: Statement = {
  name: 'runs-resume',
  text: `
UPDATE automation_runs SET due_at = $3
WHERE id = $1 AND step = $2 AND due_at > $3 AND lease_until IS NULL AND completed_at IS NULL`,
};

/** Does nothing if the run has already continued. */
export async function resumeRun(pool: pg.Pool, run: Pick<OwnedRun, 'id' | 'step'>, now: Date): Promise<void> {
  await pool.query({ ...RESUME, values: [run.id, run.step, now.toISOString()] });
}

const END: Statement = {
  name: 'runs-end',
  text: `
UPDATE automation_runs SET step = $3, status = $4::run_status, error_message = $5, completed_at = $6, due_at = NULL,
  lease_until = NULL
WHERE id = $1 AND step = $2 AND completed_at IS NULL`,
};

/** Returns false if another process has already advanced or ended the run, or the run is gone. */
export async function endRun(
  client: pg.PoolClient,
  run: OwnedRun,
  { step, errorMessage }: { step: number; errorMessage: string | null },
  now: Date,
): Promise<boolean> {
  const status = errorMessage === null ? 'completed' : 'failed';
  const { rowCount } = await client.query({
    ...END,
    values: [run.id, run.step, step, status, errorMessage, now.toISOString()],
  });
  if (rowCount !== 1) return false;
  const { account, channel } = run.sender;
  await emitRunCompleted(client, account.id, {
    runId: run.id,
    automationId: run.automationId,
    channelId: channel.id,
    contactId: run.contact.id,
    phone: run.contact.phone,
    userId: run.contact.userId,
    username: run.contact.username,
    status,
    errorMessage,
    startedAt: run.startedAt,
    completedAt: now,
  });
  return true;
}

const RECORD_FAILURE: Statement = {
  name: 'runs-record-failure',
  text: `
UPDATE automation_runs
SET failures = failures + 1, lease_until = now() + least(interval '2 seconds' * 2 ^ failures, interval '5 minutes')
WHERE id = $1 AND step = $2 AND completed_at IS NULL RETURNING failures`,
};

/**
 * Delays the retry by 2, 4, 8 … up to 300 seconds. Returns the step's number of consecutive failures, or null if the
 * run has moved on or is gone.
 */
export async function recordFailure(pool: pg.Pool, run: Pick<OwnedRun, 'id' | 'step'>): Promise<number | null> {
  const { rows } = await pool.query<{ failures: number }>({ ...RECORD_FAILURE, values: [run.id, run.step] });
  return rows[0]?.failures ?? null;
}

const RELEASE: Statement = {
  name: 'runs-release',
  text: `UPDATE automation_runs SET lease_until = now() + $3 * interval '1 second'
         WHERE id = $1 AND step = $2 AND completed_at IS NULL`,
};

export async function releaseRun(pool: pg.Pool, run: OwnedRun, afterSeconds = 0): Promise<void> {
  await pool.query({ ...RELEASE, values: [run.id, run.step, afterSeconds] });
}

const RELEASE_ALL: Statement = {
  name: 'runs-release-all',
  text: 'UPDATE automation_runs SET lease_until = NULL WHERE due_at IS NOT NULL AND lease_until IS NOT NULL',
};

/** See src/process/startup/release-leases.ts. */
export async function releaseRuns(pool: pg.Pool): Promise<void> {
  await pool.query(RELEASE_ALL);
}
