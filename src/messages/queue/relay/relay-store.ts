import type pg from 'pg';
import type { FailureCode } from '../../../carriers/failure-codes.js';
import { LONG_TIMEOUT_MS, type Statement } from '../../../platform/store/connections/pool.js';
import { COUNTED_COLUMNS, countMoved } from '../../counters/counted-sql.js';
import { startOfHour } from '../../counters/hour.js';
import { STATUS_EVENT_COLUMNS, statusEvents } from '../../events/status-events-sql.js';
import { FALLS_BACK, insertFallbacks } from '../../status/fallbacks-due-sql.js';
import type { DueMessage } from '../jobs.js';

export interface DueRow extends DueMessage {
  kind: 'sms' | 'whatsapp';
  recipient: string;
  carrierMessageId: string | null;
  /**
   * `overdue` messages were sent long ago without a receipt, `repeat` requests a receipt from the carrier again, and `none`
   * only postpones the next look.
   */
  action: 'queue' | 'overdue' | 'repeat' | 'none';
}

/** A message without a receipt expires this long after its validity. */
const RECEIPT_PATIENCE_MS = 60 * 60 * 1000;
const REPEAT_RECEIPTS_MS = 10_000;
export const SCAN_LIMIT = 1_000;

/** Due messages are read per priority, because each priority has its own range in the index. */
const TAKE_DUE: Statement = {
  name: 'relay-take-due',
  text: `
WITH due AS MATERIALIZED (
  SELECT found.id FROM unnest(ARRAY[3, 2, 1, 0]::smallint[]) AS p(priority)
  CROSS JOIN LATERAL (
    SELECT id FROM messages WHERE priority = p.priority AND next_look <= now()
      AND next_look >= coalesce(now() - $6::float8 * interval '1 millisecond', '-infinity')
    ORDER BY next_look LIMIT $1 FOR UPDATE SKIP LOCKED
  ) found
), checked AS (
  SELECT m.id, CASE
    WHEN m.status = 'sent' AND m.valid_until + $3 * interval '1 millisecond' <= $2 THEN 'overdue'
    WHEN m.status = 'sent' AND m.carrier = ANY($4::text[]) THEN 'repeat'
    WHEN m.status NOT IN ('queued', 'sending') THEN 'none'
    WHEN m.lease_until > now() OR m.not_before > now() THEN 'none'
    ELSE 'queue'
  END AS action
  FROM due JOIN messages m ON m.id = due.id
)
UPDATE messages m SET
  look_count = CASE WHEN checked.action = 'queue' THEN least(m.look_count + 1, 10) ELSE m.look_count END,
  next_look = CASE
    WHEN checked.action = 'queue' THEN now() + least(interval '30 seconds' * 2 ^ m.look_count, interval '10 minutes')
    WHEN checked.action = 'repeat' THEN now() + $5 * interval '1 millisecond'
    WHEN checked.action = 'overdue' THEN now() + interval '30 seconds'
    WHEN m.status = 'sent' THEN now() + (m.valid_until + $3 * interval '1 millisecond' - $2)
    WHEN m.status IN ('queued', 'sending') THEN greatest(m.lease_until, m.not_before, now())
  END,
  -- From now on a scheduled message is treated like any other, so a lost job is detected within seconds.
  not_before = CASE WHEN checked.action <> 'queue' THEN m.not_before END
FROM checked WHERE m.id = checked.id
RETURNING m.id, m.account_id AS "accountId", m.campaign_id AS "campaignId", m.priority, m.carrier, m.kind, m.recipient,
          m.carrier_message_id AS "carrierMessageId", checked.action`,
};

export interface TakeDueOptions {
  now: Date;
  repeatingCarriers: readonly string[];
  /** Finds only messages that became due within this many milliseconds, or all due messages if null. */
  reach: number | null;
}

export async function takeDueMessages(pool: pg.Pool, options: TakeDueOptions): Promise<DueRow[]> {
  const { now, repeatingCarriers, reach } = options;
  const { rows } = await pool.query<DueRow>({
    ...TAKE_DUE,
    values: [SCAN_LIMIT, now.toISOString(), RECEIPT_PATIENCE_MS, repeatingCarriers, REPEAT_RECEIPTS_MS, reach],
  });
  return rows;
}

/** Finds messages that have waited for over five seconds although their lane has no jobs. */
const TAKE_LOST: Statement = {
  name: 'relay-take-forgotten',
  text: `
WITH forgotten AS MATERIALIZED (
  SELECT id FROM messages
  WHERE priority = $1 AND next_look > now() AND next_look <= now() + interval '10 minutes'
    AND status IN ('queued', 'sending')
    AND (lease_until IS NULL OR lease_until <= now()) AND (not_before IS NULL OR not_before <= now())
    AND next_look <= now() - interval '5 seconds'
                     + least(interval '30 seconds' * 2 ^ greatest(look_count - 1, 0), interval '10 minutes')
  ORDER BY next_look LIMIT $2 FOR UPDATE SKIP LOCKED
)
UPDATE messages m SET
  look_count = least(m.look_count + 1, 10),
  next_look = now() + least(interval '30 seconds' * 2 ^ m.look_count, interval '10 minutes')
FROM forgotten WHERE m.id = forgotten.id
RETURNING m.id, m.account_id AS "accountId", m.campaign_id AS "campaignId", m.priority, m.carrier`,
};

export async function takeLostMessages(pool: pg.Pool, priority: number): Promise<DueMessage[]> {
  const { rows } = await pool.query<DueMessage>({
    ...TAKE_LOST,
    values: [priority, SCAN_LIMIT],
  });
  return rows;
}

const NO_RECEIPT = 'NO_RECEIPT' satisfies FailureCode;

const EXPIRE_OVERDUE: Statement = {
  name: 'relay-expire-overdue',
  text: `
WITH expired AS (
UPDATE messages m SET status = 'expired', ended_at = $2, next_look = NULL,
  error_code = '${NO_RECEIPT}', error_message = 'The carrier sent no receipt within an hour after the validity of the message ended.'
FROM unnest($1::uuid[]) AS overdue(id) WHERE m.id = overdue.id AND m.status = 'sent'
RETURNING ${STATUS_EVENT_COLUMNS}, ${COUNTED_COLUMNS}, ${FALLS_BACK}
), ${statusEvents('expired')}, ${countMoved({ moved: 'expired', hour: '$3' })}${insertFallbacks('expired')}`,
};

/** Overdue messages are not refunded, because a carrier accepted them. */
export async function expireOverdue(pool: pg.Pool, ids: readonly string[], now: Date): Promise<void> {
  await pool.query({ ...EXPIRE_OVERDUE, values: [[...ids].sort(), now.toISOString(), startOfHour(now)] });
}

const SCHEDULE_RECEIPT_REQUESTS: Statement = {
  name: 'relay-look-at-sent-soon',
  text: `
UPDATE messages SET next_look = now() WHERE id IN (
  SELECT id FROM messages
  WHERE priority BETWEEN 0 AND 3 AND next_look > now() AND next_look <= now() + interval '10 minutes'
    AND status = 'sent' AND carrier = ANY($1::text[])
  ORDER BY id FOR UPDATE SKIP LOCKED)`,
};

export async function scheduleReceiptRequests(pool: pg.Pool, repeatingCarriers: readonly string[]): Promise<void> {
  await pool.query({ ...SCHEDULE_RECEIPT_REQUESTS, values: [repeatingCarriers] });
}

const MAX_RELEASED = 20_000;

/**
 * Next looks are a millisecond apart within each account, so that accounts take turns. Messages with a lease are released
 * first.
 */
const RELEASE_MESSAGES: Statement = {
  name: 'relay-release',
  patienceMs: LONG_TIMEOUT_MS,
  text: `
UPDATE messages m SET
  lease_until = CASE WHEN m.lease_until IS NOT NULL THEN now() END,
  next_look = now() - greatest(interval '1 day' - position.no * interval '1 millisecond', interval '0')
FROM (
  SELECT id, row_number() OVER (PARTITION BY account_id ORDER BY id) AS no FROM (
    SELECT id, account_id FROM messages
    WHERE next_look IS NOT NULL AND status IN ('queued', 'sending') AND (not_before IS NULL OR not_before <= now())
    ORDER BY lease_until IS NULL, next_look LIMIT $1
  ) held
) position WHERE position.id = m.id`,
};

/** Releases messages up to a limit, because the relay finds the rest when they are due. */
export async function releaseMessages(pool: pg.Pool, limit = MAX_RELEASED): Promise<void> {
  await pool.query({ ...RELEASE_MESSAGES, values: [limit] });
}
