import type pg from 'pg';
import type { Statement } from '../../../platform/store/connections/pool.js';
import { type Purpose, purposeSql } from '../../compose/purpose.js';
import { byId } from '../../status/events.js';

export interface QuietDetails {
  id: string;
  purpose: Purpose;
  /** As set for the contact. */
  contactZone: string | null;
  /** Whether the message is a reply to a keyword or was written by a person in the console. */
  isExempt: boolean;
}

/** Only requests have a request ID, and only requests of the console have no API key. */
const READ_DETAILS: Statement = {
  name: 'send-quiet-details',
  text: `
SELECT m.id, ${purposeSql('m')} AS purpose, c.time_zone AS "contactZone",
       coalesce(m.ignores_opt_out, false)
         OR (m.request_id IS NOT NULL AND m.key_id IS NULL AND m.campaign_id IS NULL)
         OR EXISTS (SELECT FROM inbound_messages i
                    WHERE i.conversation_id = m.conversation_id AND i.keyword_reply ->> 'messageId' = m.id::text) AS "isExempt"
FROM unnest($1::uuid[]) AS held(id) JOIN messages m ON m.id = held.id LEFT JOIN contacts c ON c.id = m.contact_id`,
};

export async function readQuietDetails(pool: pg.Pool, ids: readonly string[]): Promise<QuietDetails[]> {
  const { rows } = await pool.query<QuietDetails>({ ...READ_DETAILS, values: [ids] });
  return rows;
}

export interface Hold {
  id: string;
  attempt: number;
  heldAt: Date;
  heldUntil: Date;
  zone: string;
  rule: string;
  purpose: Purpose;
}

/**
 * Returns claimed messages to the queue until their hold ends. Validity counts from the end of the hold. A message whose
 * cancellation was requested during the claim is due at once. A repetition finds no leased row and changes nothing.
 */
const HOLD: Statement = {
  name: 'send-hold',
  text: `
WITH waiting AS MATERIALIZED (
  SELECT m.id, h.held_at, h.held_until, h.zone, h.rule, h.purpose
  FROM unnest($1::uuid[], $2::smallint[], $3::timestamptz[], $4::timestamptz[], $5::text[], $6::text[], $7::text[])
         AS h(id, attempt, held_at, held_until, zone, rule, purpose)
  JOIN messages m ON m.id = h.id
  WHERE m.status = 'sending' AND m.attempts = h.attempt AND m.lease_until IS NOT NULL
  ORDER BY m.id FOR UPDATE OF m
), held AS (
  UPDATE messages m SET
    status = 'queued', lease_until = NULL, look_count = 0,
    sending_at = CASE WHEN EXISTS (SELECT FROM message_tries t WHERE t.message_id = m.id) THEN m.sending_at END,
    valid_until = m.valid_until + (w.held_until - w.held_at),
    not_before = CASE WHEN m.cancel_reason IS NULL THEN now() + (w.held_until - w.held_at) END,
    next_look = CASE WHEN m.cancel_reason IS NULL THEN now() + (w.held_until - w.held_at) ELSE now() END
  FROM waiting w WHERE m.id = w.id
  RETURNING m.id
), noted AS (
  INSERT INTO message_holds (message_id, held_at, held_until, zone, rule, purpose)
  SELECT id, held_at, held_until, zone, rule, purpose::message_purpose FROM waiting
  ON CONFLICT DO NOTHING
)
SELECT id FROM held`,
};

export async function holdMessages(pool: pg.Pool, holds: readonly Hold[]): Promise<Set<string>> {
  const sorted = [...holds].sort(byId);
  const values = [
    sorted.map(({ id }) => id),
    sorted.map(({ attempt }) => attempt),
    sorted.map(({ heldAt }) => heldAt.toISOString()),
    sorted.map(({ heldUntil }) => heldUntil.toISOString()),
    sorted.map(({ zone }) => zone),
    sorted.map(({ rule }) => rule),
    sorted.map(({ purpose }) => purpose),
  ];
  const { rows } = await pool.query<{ id: string }>({ ...HOLD, values });
  return new Set(rows.map(({ id }) => id));
}
