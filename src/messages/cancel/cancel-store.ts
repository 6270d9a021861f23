import type pg from 'pg';
import { newId } from '../../platform/ids.js';
import type { Statement } from '../../platform/store/connections/pool.js';
import { COUNTED_COLUMNS, countMoved } from '../counters/counted-sql.js';
import { hourOf } from '../counters/hour.js';
import { STATUS_EVENT_COLUMNS, statusEvents } from '../events/status-events-sql.js';
import { CANCELED } from '../status/events.js';
import { refundMessages } from '../status/refund-sql.js';

/**
 * A statement that cancels messages of one account which no worker holds and no carrier can have, and refunds them: those
 * that were never claimed, and those that wait for another try after none took them. Such a message was never sent, and
 * never will be. A claim at the same time wins or loses by the lock of the row. The account is to be locked first. It
 * returns the ids.
 *
 * $2 is the account, $3 business time, $4 the id of the ledger line, $5 the reason, $6 the hour in which they
 * count.
 * @param which condition on `messages`, with $1
 */
export function cancelQueued(which: string): string {
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
 * A statement that notes of messages of one account that they are canceled as soon as their worker gives them back: those
 * that `cancelQueued` left because one holds them. What a carrier takes in the meantime is sent. It comes after
 * `cancelQueued` in the same transaction and asks for no lease, so that none slips through which was taken, or given back,
 * between the two.
 *
 * $2 is the account, $3 the reason.
 * @param which condition on `messages`, with $1
 */
export function cancelOnceFree(which: string): string {
  return `
UPDATE messages m SET cancel_reason = $3
FROM (SELECT id FROM messages WHERE ${which} AND account_id = $2
        AND status IN ('queued', 'sending') AND NOT maybe_accepted ORDER BY id FOR UPDATE) held
WHERE m.id = held.id`;
}

const CANCEL_ONE: Statement = { name: 'cancel-message', text: cancelQueued(`id = $1 AND surface = 'a'`) };

/**
 * Cancels and refunds a message of Surface A in a transaction that holds the lock of its account.
 * @returns whether it did; false when the account has no such message, or when it does not wait any more
 */
export async function cancelQueuedMessage(
  client: pg.PoolClient,
  message: { id: string; accountId: string },
  now: Date,
): Promise<boolean> {
  return (await cancelWaiting(client, CANCEL_ONE, message, now, 'The sender canceled the message.')) === 1;
}

/**
 * Runs a statement of `cancelQueued`.
 * @param of the value of its $1, and the account
 * @returns how many messages it canceled
 */
export async function cancelWaiting(
  client: pg.PoolClient,
  statement: Statement,
  of: { id: string; accountId: string },
  now: Date,
  reason: string,
): Promise<number> {
  const values = [of.id, of.accountId, now.toISOString(), newId(), reason, hourOf(now)];
  const { rowCount } = await client.query({ ...statement, values });
  return rowCount ?? 0;
}
