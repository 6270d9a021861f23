import type pg from 'pg';
import { NOT_SUBMITTED } from '../../carriers/carrier-error.js';
import { toStorableId } from '../../carriers/carrier-message-id.js';
import { toPlainArray, toTextArray, toTimestampArray } from '../../platform/store/array-literals.js';
import { toColumns } from '../../platform/store/columns.js';
import type { Statement } from '../../platform/store/connections/pool.js';
import { toStorable } from '../../platform/store/storable.js';
import { COUNTED_COLUMNS, countMoved } from '../counters/counted-sql.js';
import { startOfHour } from '../counters/hour.js';
import { STATUS_EVENT_COLUMNS, statusEvents } from '../events/status-events-sql.js';
import { byId, type RetryEvent } from './events.js';
import { FALLS_BACK, insertFallbacks } from './fallbacks-due-sql.js';
import type { MovedRow } from './moved-rows.js';
import { receiptCountsSql } from './report-ownership.js';
import { DELIVERED_BEFORE, hoursUntilCountedSql } from './reused-look-count-sql.js';
import type { Progress } from './status.js';

const SENT_AT = 'coalesce(m.sent_at, e.sent_at)';
/** `greatest` ignores nulls. */
const DELIVERED_AT = `coalesce(m.delivered_at, CASE WHEN e.delivered_at IS NOT NULL THEN greatest(e.delivered_at, ${SENT_AT}) END)`;

const ENDED_AT = `CASE WHEN e.ended_at IS NOT NULL THEN greatest(e.ended_at, ${SENT_AT}) END`;

const LOOK_COUNT_IF_FAILED = `CASE
  WHEN e.ended_at IS NOT NULL THEN ${hoursUntilCountedSql(ENDED_AT, '$12::timestamptz')} ELSE ${DELIVERED_BEFORE}
 END`;

/**
 * A row of `e` with an attempt is a carrier's response and counts only while that attempt owns the message. A row of `e`
 * without an attempt is a receipt, which counts only if the message is `sent`, or `delivered` in the case of `read`.
 *
 * Marking a message sent does not change `next_look`, so that no index entry is written. Because a carrier's clock may differ
 * from ours, no step is recorded with an earlier time than the previous step.
 *
 * Parameters: $11 carriers that replace the message's own, or empty, $12 hour of the counts, $13 whether to return request IDs.
 * @param mayFail whether the batch may end messages, which may have fallbacks
 */
const buildApplyProgress = (mayFail: boolean): Statement => ({
  name: mayFail ? 'status-apply-failures' : 'status-apply-progress',
  text: `
WITH moved AS (
UPDATE messages m SET
  status = e.status,
  sent_at = ${SENT_AT},
  delivered_at = ${DELIVERED_AT},
  read_at = coalesce(m.read_at, CASE WHEN e.read_at IS NOT NULL THEN greatest(e.read_at, ${DELIVERED_AT}) END),
  ended_at = ${ENDED_AT},
  carrier = coalesce(e.carrier, m.carrier),
  carrier_message_id = coalesce(e.carrier_message_id, m.carrier_message_id),
  error_code = e.error_code,
  error_message = e.error_message,
  lease_until = NULL,
  look_count = ${mayFail ? LOOK_COUNT_IF_FAILED : DELIVERED_BEFORE},
  next_look = CASE WHEN e.status = 'sent' THEN m.next_look END
FROM unnest($1::uuid[], $2::message_status[], $3::smallint[], $4::timestamptz[], $5::timestamptz[], $6::timestamptz[],
            $7::timestamptz[], $8::text[], $9::text[], $10::text[], $11::text[], $14::text[], $15::text[], $16::smallint[])
  AS e(id, status, attempt, sent_at, delivered_at, read_at, ended_at, carrier_message_id, error_code, error_message,
       carrier, source_carrier, source_id, source_attempt)
WHERE m.id = e.id AND CASE
  WHEN e.attempt IS NOT NULL THEN m.status = 'sending' AND m.attempts = e.attempt AND m.lease_until IS NOT NULL
  WHEN e.status = 'read' THEN m.status IN ('sent', 'delivered') AND ${receiptCountsSql('e')}
  ELSE m.status = 'sent' AND ${receiptCountsSql('e')}
END
RETURNING ${STATUS_EVENT_COLUMNS}, ${COUNTED_COLUMNS}, m.priority, CASE WHEN $13 THEN m.request_id END AS request_id, array_remove(ARRAY[
  CASE WHEN e.status <> 'sent' AND e.sent_at IS NOT NULL THEN 'sent' END,
  CASE WHEN e.status = 'read' AND m.look_count = 0 THEN 'delivered' END
], NULL) AS passed${mayFail ? `, ${FALLS_BACK}` : ''}
), ${statusEvents('moved', 'passed')}, ${countMoved({ moved: 'moved', hour: '$12', passed: 'passed' })}${mayFail ? `, fallbacks_due AS (${insertFallbacks('moved')})` : ''}
SELECT id, NULL::uuid AS "accountId", CASE WHEN scheduled_at IS NULL THEN priority END AS priority,
       request_id AS "requestId", traceparent, nullif(passed, '{}') AS passed FROM moved
UNION ALL SELECT NULL, account_id, NULL, NULL, NULL, NULL FROM counted`,
});

const APPLY_PROGRESS = buildApplyProgress(false);
const APPLY_FAILURES = buildApplyProgress(true);

export interface MovedMessage {
  priority: number | null;
  requestId: string | null;
  traceparent: string | null;
  passed: readonly Progress['status'][] | null;
}

/**
 * @param progress each message at most once (see `toRounds`)
 * @param now time whose hour the moves are counted in
 * @param accounts receives the IDs of the accounts whose messages moved
 * @returns the moved messages by ID
 */
export async function applyProgress(
  pool: pg.Pool,
  progress: readonly Progress[],
  now: Date,
  accounts: Set<string>,
  wantsRequestIds: boolean,
): Promise<Map<string, MovedMessage>> {
  const sorted = [...progress].sort(byId);
  /** A column whose values are all null is passed as an empty array, because `unnest` pads shorter arrays with nulls. */
  const column = <T>(pick: (each: Progress) => T | null | undefined): (T | null)[] => {
    const values = sorted.map((each) => pick(each) ?? null);
    return values.every((value) => value === null) ? [] : values;
  };
  const times = (pick: (each: Progress) => Date | null | undefined) => toTimestampArray(column(pick));
  const { rows } = await pool.query<MovedRow & MovedMessage>({
    ...(sorted.some((p) => p.endedAt !== null) ? APPLY_FAILURES : APPLY_PROGRESS),
    values: [
      toPlainArray(sorted.map((p) => p.id)),
      toPlainArray(sorted.map((p) => p.status)),
      toPlainArray(column(({ sent }) => sent?.attempt)),
      times(({ sent }) => sent?.at),
      times((each) => each.deliveredAt),
      times((each) => each.readAt),
      times((each) => each.endedAt),
      toTextArray(column(({ sent }) => sent && toStorableId(sent.carrierMessageId))),
      toTextArray(column((each) => toStorable(each.errorCode))),
      toTextArray(column((each) => toStorable(each.errorMessage))),
      toTextArray(column(({ sent }) => (sent?.replacesCarrier ? sent.carrier : null))),
      startOfHour(now),
      wantsRequestIds,
      toTextArray(column(({ source }) => source?.carrier)),
      toTextArray(column(({ source }) => source?.carrierMessageId)),
      toPlainArray(column(({ source }) => source?.attempt)),
    ],
  });
  return readMovedMessages(rows, accounts);
}

/**
 * @param accounts receives the account IDs
 */
export function readMovedMessages(
  rows: readonly (MovedRow & MovedMessage)[],
  accounts: Set<string>,
): Map<string, MovedMessage> {
  const messages = new Map<string, MovedMessage>();
  for (const row of rows) {
    if (row.id !== null) messages.set(row.id, row);
    else accounts.add(row.accountId);
  }
  return messages;
}

const INSERT_REFERENCES: Statement = {
  name: 'status-insert-references',
  text: `INSERT INTO carrier_references (carrier, carrier_message_id, message_id)
         SELECT * FROM unnest($1::text[], $2::text[], $3::uuid[])
         ON CONFLICT (carrier, carrier_message_id) DO UPDATE SET message_id = EXCLUDED.message_id, created_at = now()`,
};

/** Must be called before messages are marked sent, so that early receipts find them. */
export async function insertReferences(
  pool: pg.Pool,
  references: readonly { carrier: string; carrierMessageId: string; id: string }[],
): Promise<void> {
  const stored = references.map((row) => ({ ...row, carrierMessageId: toStorableId(row.carrierMessageId) }));
  const unique = new Map(stored.map((row) => [`${row.carrier} ${row.carrierMessageId}`, row]));
  const rows = [...unique.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  await pool.query({
    ...INSERT_REFERENCES,
    values: [rows.map((r) => r.carrier), rows.map((r) => r.carrierMessageId), rows.map((r) => r.id)],
  });
}

/**
 * SQL for the delay before the next attempt, which is 0 if a cancellation was requested, because the next claim cancels the
 * message.
 */
const DELAY = 'CASE WHEN m.cancel_reason IS NULL OR m.maybe_accepted OR e.maybe_accepted THEN e.delay ELSE 0 END';

/** Waiting for a paused channel or a restart is not recorded as a failed attempt. */
const SCHEDULE_RETRIES: Statement = {
  name: 'status-schedule-retries',
  text: `
WITH retried AS (
UPDATE messages m SET
  lease_until = NULL,
  not_before = now() + ${DELAY} * interval '1 millisecond',
  next_look = now() + ${DELAY} * interval '1 millisecond',
  look_count = 0,
  error_code = e.error_code,
  error_message = e.error_message,
  maybe_accepted = m.maybe_accepted OR e.maybe_accepted
FROM unnest($1::uuid[], $2::smallint[], $3::bigint[], $4::text[], $5::text[], $6::boolean[], $7::boolean[])
  AS e(id, attempt, delay, error_code, error_message, maybe_accepted, was_tried)
WHERE m.id = e.id AND m.status = 'sending' AND m.attempts = e.attempt AND m.lease_until IS NOT NULL
RETURNING m.id, m.attempts, e.error_code, e.error_message, e.maybe_accepted, e.was_tried
), tries AS (
  INSERT INTO message_tries (message_id, attempt, failed_at, error_code, error_message, maybe_accepted)
  SELECT id, attempts, $8, error_code, error_message, maybe_accepted FROM retried WHERE was_tried
)
SELECT id FROM retried`,
};

/**
 * Schedules retries of messages, whose status stays `sending`.
 * @param now when the attempt failed
 */
export async function scheduleRetries(pool: pg.Pool, events: readonly RetryEvent[], now: Date): Promise<Set<string>> {
  const sorted = [...events].sort(byId);
  const { rows } = await pool.query<{ id: string }>({
    ...SCHEDULE_RETRIES,
    values: [
      ...toColumns(sorted, (e) => [
        e.id,
        e.attempt,
        Math.max(0, Math.round(e.delayMs)),
        toStorable(e.errorCode),
        toStorable(e.errorMessage),
        e.maybeAccepted,
        e.pausedChannelId === undefined && e.errorCode !== NOT_SUBMITTED,
      ]),
      now.toISOString(),
    ],
  });
  return new Set(rows.map((row) => row.id));
}
