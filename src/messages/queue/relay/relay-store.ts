import type pg from 'pg';
import { LONG_PATIENCE_MS, type Statement } from '../../../platform/store/connections/pool.js';
import { COUNTED_COLUMNS, countMoved } from '../../counters/counted-sql.js';
import { hourOf } from '../../counters/hour.js';
import { STATUS_EVENT_COLUMNS, statusEvents } from '../../events/status-events-sql.js';
import { FALLS_BACK, insertFallbacks } from '../../status/fallbacks-due-sql.js';
import type { DueMessage } from '../jobs.js';

/** A message that the relay must do something about. */
export interface DueRow extends DueMessage {
  kind: 'sms' | 'whatsapp';
  recipient: string;
  carrierMessageId: string | null;
  /**
   * `queue`: due for a worker; `overdue`: sent long ago, without a receipt; `repeat`: its carrier can be asked for the
   * receipt again; `none`: only its next look has moved.
   */
  action: 'queue' | 'overdue' | 'repeat' | 'none';
}

/** An hour after its validity a message without a receipt expires. */
const RECEIPT_PATIENCE_MS = 60 * 60 * 1000;
/** How often the relay asks for the receipts of carriers that can repeat them. */
const REPEAT_RECEIPTS_MS = 10_000;
/** Rows that one look takes; others follow at once. */
export const LOOK_LIMIT = 1_000;

/**
 * Takes the rows whose time has come and sets the time of their next look: the end of a lease or of a retry's wait, and
 * for what is queued again 30 s, doubled each time up to 10 min. Each priority has its own range of the index.
 */
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
), looked AS (
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
  look_count = CASE WHEN looked.action = 'queue' THEN least(m.look_count + 1, 10) ELSE m.look_count END,
  next_look = CASE
    WHEN looked.action = 'queue' THEN now() + least(interval '30 seconds' * 2 ^ m.look_count, interval '10 minutes')
    WHEN looked.action = 'repeat' THEN now() + $5 * interval '1 millisecond'
    WHEN looked.action = 'overdue' THEN now() + interval '30 seconds'
    WHEN m.status = 'sent' THEN now() + (m.valid_until + $3 * interval '1 millisecond' - $2)
    WHEN m.status IN ('queued', 'sending') THEN greatest(m.lease_until, m.not_before, now())
  END,
  -- What was scheduled is from now on like any other: should the queue forget it, it is missed within seconds.
  not_before = CASE WHEN looked.action <> 'queue' THEN m.not_before END
FROM looked WHERE m.id = looked.id
RETURNING m.id, m.account_id AS "accountId", m.campaign_id AS "campaignId", m.priority, m.carrier, m.kind, m.recipient,
          m.carrier_message_id AS "carrierMessageId", looked.action`,
};

export interface TakeDueOptions {
  /** Business time, which decides whether a receipt is overdue. */
  now: Date;
  /** Carriers that can be asked for receipts again. */
  repeatingCarriers: readonly string[];
  /** Milliseconds: only what became due within them; null: everything. */
  reach: number | null;
}

export async function takeDue(pool: pg.Pool, options: TakeDueOptions): Promise<DueRow[]> {
  const { now, repeatingCarriers, reach } = options;
  const { rows } = await pool.query<DueRow>({
    ...TAKE_DUE,
    values: [LOOK_LIMIT, now.toISOString(), RECEIPT_PATIENCE_MS, repeatingCarriers, REPEAT_RECEIPTS_MS, reach],
  });
  return rows;
}

/**
 * Takes messages that the queue must have lost: their lane holds no job, and yet they have waited for longer
 * than five seconds, for their first try or for another, or since the process that had them died. Those whose retry or
 * lease lies in the future are not among them.
 */
const TAKE_FORGOTTEN: Statement = {
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

export async function takeForgotten(pool: pg.Pool, priority: number): Promise<DueMessage[]> {
  const { rows } = await pool.query<DueMessage>({
    ...TAKE_FORGOTTEN,
    values: [priority, LOOK_LIMIT],
  });
  return rows;
}

const EXPIRE_OVERDUE: Statement = {
  name: 'relay-expire-overdue',
  text: `
WITH expired AS (
UPDATE messages m SET status = 'expired', ended_at = $2, next_look = NULL,
  error_code = 'NO_RECEIPT', error_message = 'No receipt came within an hour after the validity of the message.'
FROM unnest($1::uuid[]) AS overdue(id) WHERE m.id = overdue.id AND m.status = 'sent'
RETURNING ${STATUS_EVENT_COLUMNS}, ${COUNTED_COLUMNS}, ${FALLS_BACK}
), ${statusEvents('expired')}, ${countMoved({ moved: 'expired', hour: '$3' })}${insertFallbacks('expired')}`,
};

/** Ends messages that a carrier took but never reported on. They are not refunded. */
export async function expireOverdue(pool: pg.Pool, ids: readonly string[], now: Date): Promise<void> {
  await pool.query({ ...EXPIRE_OVERDUE, values: [[...ids].sort(), now.toISOString(), hourOf(now)] });
}

const LOOK_AT_SENT_SOON: Statement = {
  name: 'relay-look-at-sent-soon',
  text: `
UPDATE messages SET next_look = now() WHERE id IN (
  SELECT id FROM messages
  WHERE priority BETWEEN 0 AND 3 AND next_look > now() AND next_look <= now() + interval '10 minutes'
    AND status = 'sent' AND carrier = ANY($1::text[])
  ORDER BY id FOR UPDATE SKIP LOCKED)`,
};

/** Brings the next look at sent messages forward whose carriers can be asked for their receipts again. */
export async function lookAtSentSoon(pool: pg.Pool, repeatingCarriers: readonly string[]): Promise<void> {
  await pool.query({ ...LOOK_AT_SENT_SOON, values: [repeatingCarriers] });
}

/** What one release touches at the most: about a second's work, however many wait. */
const RELEASED = 20_000;

/**
 * Looks are brought forward by up to a day, a millisecond apart in each account, so that accounts take turns. Those with a
 * lease come first.
 */
const RELEASE: Statement = {
  name: 'relay-release',
  patienceMs: LONG_PATIENCE_MS,
  text: `
UPDATE messages m SET
  lease_until = CASE WHEN m.lease_until IS NOT NULL THEN now() END,
  next_look = now() - greatest(interval '1 day' - place.no * interval '1 millisecond', interval '0')
FROM (
  SELECT id, row_number() OVER (PARTITION BY account_id ORDER BY id) AS no FROM (
    SELECT id, account_id FROM messages
    WHERE next_look IS NOT NULL AND status IN ('queued', 'sending') AND (not_before IS NULL OR not_before <= now())
    ORDER BY lease_until IS NULL, next_look LIMIT $1
  ) held
) place WHERE place.id = m.id`,
};

/**
 * Ends leases and brings looks forward; see src/process/startup/release-leases.ts. Of millions that wait most are left to
 * the relay, which finds all in time.
 * @param most messages that it touches
 */
export async function releaseMessages(pool: pg.Pool, most = RELEASED): Promise<void> {
  await pool.query({ ...RELEASE, values: [most] });
}
