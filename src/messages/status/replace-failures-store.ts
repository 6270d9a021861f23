import type pg from 'pg';
import { plainArray, textArray } from '../../platform/store/array-literals.js';
import type { Statement } from '../../platform/store/connections/pool.js';
import { COUNTED_COLUMNS, countMoved, uncountMoved } from '../counters/counted-sql.js';
import { hourOf } from '../counters/hour.js';
import { STATUS_EVENT_COLUMNS, statusEvents } from '../events/status-events-sql.js';
import { COUNTED_HOUR } from './counted-hour-sql.js';
import { byId } from './events.js';
import type { MovedRow } from './moved.js';
import type { Progress } from './status.js';
import { type MovedMessage, readMovedMessages } from './status-store.js';
import { counts, isReplaceable } from './whose-word.js';

/**
 * The rows are locked before they change, because only then their times and errors from before can be read. A concurrent
 * statement that replaced the failure first leaves nothing to do here. The failure goes into the history. Neither the price nor
 * the fallback changes: an SMS that was accepted is sent, and `FallbackRunner` refuses one that is not accepted yet.
 * $8 is the hour in which the moves count, $9 whether the log is to name requests.
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
  WHERE ${isReplaceable('m')} AND ${counts('e')}
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
 * Replaces failures that a carrier reported after it had accepted the message by its later `delivered` or `read`: the one
 * exception to the rule that a status only moves forward (docs/reliability.md).
 * @param progress each message once, delivered or read
 * @param accounts gets the ids of the accounts of the messages that it moved
 * @param asksForRequests as in `applyProgress`
 * @returns the messages that it moved, by their ids; they count in the hour of `now`
 */
export async function replaceFailures(
  pool: pg.Pool,
  progress: readonly Progress[],
  now: Date,
  accounts: Set<string>,
  asksForRequests: boolean,
): Promise<Map<string, MovedMessage>> {
  const sorted = [...progress].sort(byId);
  const { rows } = await pool.query<MovedRow & MovedMessage>({
    ...REPLACE_FAILURES,
    values: [
      plainArray(sorted.map((p) => p.id)),
      plainArray(sorted.map((p) => p.status)),
      plainArray(sorted.map((p) => p.deliveredAt?.toISOString() ?? null)),
      plainArray(sorted.map((p) => p.readAt?.toISOString() ?? null)),
      textArray(sorted.map((p) => p.source?.carrier ?? null)),
      textArray(sorted.map((p) => p.source?.carrierMessageId ?? null)),
      plainArray(sorted.map((p) => p.source?.attempt ?? null)),
      hourOf(now),
      asksForRequests,
    ],
  });
  return readMovedMessages(rows, accounts);
}
