import type pg from 'pg';
import { toPlainArray, toTextArray } from '../../platform/store/array-literals.js';
import type { Statement } from '../../platform/store/connections/pool.js';
import { COUNTED_COLUMNS, countMoved, uncountMoved } from '../counters/counted-sql.js';
import { startOfHour } from '../counters/hour.js';
import { STATUS_EVENT_COLUMNS, statusEvents } from '../events/status-events-sql.js';
import { byId } from './events.js';
import type { MovedRow } from './moved-rows.js';
import { isReplaceableFailure, receiptCountsSql } from './report-ownership.js';
import { COUNTED_HOUR } from './reused-look-count-sql.js';
import type { Progress } from './status.js';
import { type MovedMessage, readMovedMessages } from './status-store.js';

/**
 * The rows are locked first, because the update overwrites the times and errors that go into the history. A fallback SMS that
 * was already accepted is still sent, but `FallbackRunner` drops one that was not.
 *
 * Parameters: $8 hour of the counts, $9 whether to return request IDs for the log.
 */
const REPLACE_FAILURES: Statement = {
  name: 'status-replace-failures',
  text: `
WITH failed AS MATERIALIZED (
  SELECT m.id, e.status, e.delivered_at, e.read_at, m.carrier, m.carrier_message_id, m.attempts, m.ended_at, m.error_code,
         m.error_message, ${COUNTED_HOUR} AS counted_hour
  FROM unnest($1::uuid[], $2::message_status[], $3::timestamptz[], $4::timestamptz[], $5::text[], $6::text[], $7::smallint[])
    AS e(id, status, delivered_at, read_at, source_carrier, source_id, source_attempt)
  JOIN messages m ON m.id = e.id
  WHERE ${isReplaceableFailure('m')} AND ${receiptCountsSql('e')}
  FOR UPDATE OF m
), moved AS (
  UPDATE messages m SET
    status = f.status,
    delivered_at = greatest(f.delivered_at, m.sent_at),
    read_at = CASE WHEN f.read_at IS NOT NULL THEN greatest(f.read_at, f.delivered_at, m.sent_at) END,
    ended_at = NULL,
    error_code = NULL,
    error_message = NULL,
    look_count = 0
  FROM failed f WHERE m.id = f.id
  RETURNING ${STATUS_EVENT_COLUMNS}, ${COUNTED_COLUMNS}, m.priority, CASE WHEN $9 THEN m.request_id END AS request_id,
    CASE WHEN f.status = 'read' THEN ARRAY['delivered'] ELSE ARRAY[]::text[] END AS passed, f.counted_hour
), ${statusEvents('moved', 'passed')}, ${countMoved({ moved: 'moved', hour: '$8', passed: 'passed' })},
${uncountMoved({ moved: 'moved', hour: 'counted_hour', event: 'failed' })}, history AS (
  INSERT INTO superseded_receipts (message_id, carrier, carrier_message_id, status, attempt, occurred_at, error_code, error_message)
  SELECT id, carrier, carrier_message_id, 'failed', attempts, ended_at, error_code, error_message
  FROM failed WHERE carrier_message_id IS NOT NULL
  ON CONFLICT DO NOTHING
)
SELECT id, NULL::uuid AS "accountId", CASE WHEN scheduled_at IS NULL THEN priority END AS priority,
       request_id AS "requestId", traceparent, nullif(passed, '{}') AS passed FROM moved
UNION ALL SELECT NULL, account_id, NULL, NULL, NULL, NULL FROM counted`,
};

/**
 * Replaces a failure that a carrier reported after accepting the message with the later `delivered` or `read`. This is
 * the only exception to the rule that a status only moves forward (docs/develop/reliability.md).
 * @param progress at most one per message, delivered or read
 * @param accounts receives the accounts whose messages moved
 */
export async function replaceFailures(
  pool: pg.Pool,
  progress: readonly Progress[],
  now: Date,
  accounts: Set<string>,
  wantsRequestIds: boolean,
): Promise<Map<string, MovedMessage>> {
  const sorted = [...progress].sort(byId);
  const { rows } = await pool.query<MovedRow & MovedMessage>({
    ...REPLACE_FAILURES,
    values: [
      toPlainArray(sorted.map((p) => p.id)),
      toPlainArray(sorted.map((p) => p.status)),
      toPlainArray(sorted.map((p) => p.deliveredAt?.toISOString() ?? null)),
      toPlainArray(sorted.map((p) => p.readAt?.toISOString() ?? null)),
      toTextArray(sorted.map((p) => p.source?.carrier ?? null)),
      toTextArray(sorted.map((p) => p.source?.carrierMessageId ?? null)),
      toPlainArray(sorted.map((p) => p.source?.attempt ?? null)),
      startOfHour(now),
      wantsRequestIds,
    ],
  });
  return readMovedMessages(rows, accounts);
}
