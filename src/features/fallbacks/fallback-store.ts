import type pg from 'pg';
import type { SmsFallback } from '../../carriers/content.js';
import { CARRIED_COLUMNS, type CarriedRow } from '../../messages/accept/message-columns.js';
import { blocksMessage } from '../../messages/send/checks/opted-out-sql.js';
import type { Statement } from '../../platform/store/connections/pool.js';
import { toStorable } from '../../platform/store/storable.js';

export interface DueFallback extends CarriedRow {
  messageId: string;
  /** This field and the following fields are null if the message was deleted. */
  accountId: string | null;
  currency: string;
  rateCardId: string;
  spendGuard: unknown;
  frequencyCap: unknown;
  /** Spending guard of the message's API key; null without a key or guard. */
  keyGuard: unknown;
  fallback: SmsFallback;
  /** Digits with country code, or null for a user ID whose phone number is unknown. */
  number: string | null;
  /** Expiry time of the sign-in code, or null if the message has no code. */
  codeEndsAt: Date | null;
  /** Whether the recipient opted out of SMS from the fallback's sender. */
  optedOut: boolean;
  /** Whether the message was delivered after its carrier had reported a failure. */
  isDelivered: boolean;
}

/** A contact known by user ID may have shared a phone number after the message was sent. */
const NUMBER = `CASE WHEN m.recipient ~ '^[A-Z]' THEN (SELECT phone FROM contacts WHERE id = m.contact_id) ELSE m.recipient END`;

/** The row lock lasts until the transaction ends, so that no other process sends the same fallback. */
const CLAIM: Statement = {
  name: 'fallbacks-take',
  text: `
SELECT f.message_id AS "messageId", m.account_id AS "accountId", a.currency, a.rate_card_id AS "rateCardId", a.spend_guard AS "spendGuard",
       a.frequency_cap AS "frequencyCap",
       (SELECT k.spend_guard FROM api_keys k WHERE k.id = m.key_id) AS "keyGuard",
       m.content->'fallback' AS fallback, ${NUMBER} AS number, ${CARRIED_COLUMNS},
       (SELECT v.expires_at FROM verifications v WHERE v.id = m.verification_id) AS "codeEndsAt",
       coalesce((
         SELECT true FROM opt_outs o WHERE o.account_id = m.account_id AND o.kind = 'sms' AND o.phone = ${NUMBER}
           AND o.sender = opt_out_sender(m.content->'fallback'->>'from') AND o.is_active AND ${blocksMessage('o', 'm')}
       ), false) AS "optedOut", coalesce(m.status IN ('delivered', 'read'), false) AS "isDelivered"
FROM fallbacks f LEFT JOIN messages m ON m.id = f.message_id LEFT JOIN accounts a ON a.id = m.account_id
WHERE f.next_look <= now() AND ($1::uuid IS NULL OR f.message_id = $1)
ORDER BY f.next_look LIMIT $2 FOR UPDATE OF f SKIP LOCKED`,
};

export async function claimFallbacks(
  client: pg.PoolClient,
  limit: number,
  messageId: string | null,
): Promise<DueFallback[]> {
  const { rows } = await client.query<DueFallback>({ ...CLAIM, values: [messageId, limit] });
  return rows;
}

const DELAY: Statement = {
  name: 'fallbacks-delay',
  text: `UPDATE fallbacks SET next_look = now() + interval '1 second' WHERE message_id = $1 AND next_look IS NOT NULL`,
};

/** Retries the fallback in a second, without counting a failure. */
export async function delayFallback(pool: pg.Pool, messageId: string): Promise<void> {
  await pool.query({ ...DELAY, values: [messageId] });
}

export interface SettledFallback {
  messageId: string;
  smsId: string | null;
  errorCode: string | null;
  errorMessage: string | null;
}

const SETTLE: Statement = {
  name: 'fallbacks-settle',
  text: `UPDATE fallbacks f SET sms_id = s.sms_id, error_code = s.error_code, error_message = s.error_message,
           next_look = NULL
         FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[]) AS s(message_id, sms_id, error_code, error_message)
         WHERE f.message_id = s.message_id`,
};

/** Call this function in the transaction that claimed the fallbacks and created their SMS. */
export async function settleFallbacks(client: pg.PoolClient, settled: readonly SettledFallback[]): Promise<void> {
  await client.query({
    ...SETTLE,
    values: [
      settled.map(({ messageId }) => messageId),
      settled.map(({ smsId }) => smsId),
      settled.map(({ errorCode }) => errorCode),
      settled.map(({ errorMessage }) => toStorable(errorMessage)),
    ],
  });
}

const POSTPONE: Statement = {
  name: 'fallbacks-postpone',
  text: `UPDATE fallbacks SET failures = failures + 1, error_code = 'INTERNAL', error_message = 'The SMS could not be created.',
           next_look = CASE WHEN failures + 1 < $2 THEN now() + interval '1 second' * 2 ^ failures END
         WHERE message_id = $1 AND next_look IS NOT NULL`,
};

/** Retries the fallback after 1, 2, 4 … seconds, and gives up after `maxFailures` failures. */
export async function postponeFallback(pool: pg.Pool, messageId: string, maxFailures: number): Promise<void> {
  await pool.query({ ...POSTPONE, values: [messageId, maxFailures] });
}
