import type pg from 'pg';
import { newId } from '../../platform/ids.js';
import type { Statement } from '../../platform/store/connections/pool.js';
import { COUNTED_COLUMNS, countMoved } from '../counters/counted-sql.js';
import { startOfHour } from '../counters/hour.js';
import { STATUS_EVENT_COLUMNS, statusEvents } from '../events/status-events-sql.js';
import { CANCELED } from '../status/events.js';
import { refundMessages } from '../status/refund-sql.js';

/**
 * If a message is canceled and claimed concurrently, the first to lock its row wins. The account must be locked before the SQL
 * runs. The SQL returns the IDs of the canceled messages.
 *
 * Parameters: $2 account, $3 current time, $4 ID of the ledger line, $5 reason, $6 hour for the counts.
 * @param which condition on `messages`, using $1
 */
export function cancelQueuedSql(which: string): string {
  return `
WITH waiting AS MATERIALIZED (
  SELECT id FROM messages WHERE ${which} AND account_id = $2
    AND status IN ('queued', 'sending') AND lease_until IS NULL AND NOT maybe_accepted
  ORDER BY id FOR UPDATE
), canceled AS (
  UPDATE messages m SET status = 'canceled', ended_at = $3, next_look = NULL, not_before = NULL, refunded = true,
    error_code = '${CANCELED}', error_message = $5
  FROM waiting WHERE m.id = waiting.id
  RETURNING ${STATUS_EVENT_COLUMNS}, ${COUNTED_COLUMNS}, m.price_micros
), ${statusEvents('canceled')}, ${countMoved({
    moved: 'canceled',
    hour: '$6',
    refunded: 'm.price_micros',
  })}, ${refundMessages({
    ended: 'canceled',
    lineIds: 'unnest(ARRAY[$2::uuid], ARRAY[$4::uuid])',
    at: '$3',
  })}
SELECT id FROM canceled`;
}

/**
 * Builds SQL that cancels claimed messages when their worker returns them, unless a carrier has accepted them. The SQL must run
 * after `cancelQueuedSql` in the same transaction. The SQL ignores leases, so that it does not miss a message whose lease
 * starts or ends between the two statements.
 *
 * Parameters: $2 account, $3 reason.
 * @param which condition on `messages`, using $1
 */
export function requestCancellationSql(which: string): string {
  return `
UPDATE messages m SET cancel_reason = $3
FROM (SELECT id FROM messages WHERE ${which} AND account_id = $2
        AND status IN ('queued', 'sending') AND NOT maybe_accepted ORDER BY id FOR UPDATE) held
WHERE m.id = held.id`;
}

const CANCEL_ONE: Statement = { name: 'cancel-message', text: cancelQueuedSql(`id = $1 AND surface = 'a'`) };

/**
 * The transaction must hold the account's lock.
 * @returns false if the account has no such message, or the message has left the queue
 */
export async function cancelQueuedMessage(
  client: pg.PoolClient,
  message: { id: string; accountId: string },
  now: Date,
): Promise<boolean> {
  return (await runCancellation(client, CANCEL_ONE, message, now, 'The sender canceled the message.')) === 1;
}

export async function runCancellation(
  client: pg.PoolClient,
  statement: Statement,
  target: { id: string; accountId: string },
  now: Date,
  reason: string,
): Promise<number> {
  const values = [target.id, target.accountId, now.toISOString(), newId(), reason, startOfHour(now)];
  const { rowCount } = await client.query({ ...statement, values });
  return rowCount ?? 0;
}
