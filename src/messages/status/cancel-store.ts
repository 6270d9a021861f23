import { insertStatusEvents, STATUS_EVENT_COLUMNS } from './status-events.js';

/**
 * A statement that cancels messages of one account which no worker has claimed, and refunds them: such a message was
 * never sent, and never will be. A claim at the same time wins or loses by the lock of the row. The account is to be
 * locked first. It returns the ids.
 *
 * $2 is the account, $3 business time, $4 the id of the ledger line, $5 the reason.
 * @param which condition on `messages`, with $1
 */
export function cancelQueued(which: string): string {
  return `
WITH waiting AS MATERIALIZED (
  SELECT id FROM messages WHERE ${which} AND account_id = $2 AND status = 'queued' ORDER BY id FOR UPDATE
), canceled AS (
  UPDATE messages m SET status = 'canceled', ended_at = $3, next_look = NULL, not_before = NULL, refunded = true,
    error_code = 'CANCELED', error_message = $5
  FROM waiting WHERE m.id = waiting.id
  RETURNING ${STATUS_EVENT_COLUMNS}, m.price_micros
), events AS (${insertStatusEvents('canceled')}), refund AS (
  SELECT sum(price_micros)::bigint AS total, count(*)::int AS message_count FROM canceled HAVING count(*) > 0
), credited AS (
  UPDATE accounts SET balance_micros = balance_micros + refund.total, balance_changed_at = $3
  FROM refund WHERE accounts.id = $2
  RETURNING accounts.balance_micros, refund.total, refund.message_count
), ledger AS (
  INSERT INTO ledger_entries (id, account_id, kind, amount_micros, balance_after_micros, message_count, created_at)
  SELECT $4, $2, 'refund', total, balance_micros, message_count, $3 FROM credited
)
SELECT id FROM canceled`;
}
