import type pg from 'pg';
import type { AcceptedPart } from '../../carriers/carrier.js';
import type { ChannelSettings } from '../../carriers/channel-settings.js';
import type { MessageContent } from '../../carriers/content.js';
import { toPlainArray } from '../../platform/store/array-literals.js';
import type { Statement } from '../../platform/store/connections/pool.js';
import { isOptedOut } from './checks/opted-out-sql.js';

/** By PostgreSQL's clock. */
export const LEASE_SECONDS = 30;

export interface ClaimedMessage {
  id: string;
  accountId: string;
  kind: 'sms' | 'whatsapp';
  carrier: string;
  sender: string;
  recipient: string;
  body: string;
  content: MessageContent | null;
  attempt: number;
  requestId: string | null;
  traceparent: string | null;
  /** Details are null for the most common messages: SMS of one part without a channel, and SMS on their first attempt. */
  details: ClaimedDetails | null;
  validUntil: Date;
  code: ClaimedCode | null;
  optedOut: boolean;
  /** Reason for a requested cancellation, or null if there is none or a carrier may have accepted the message. */
  cancelReason: string | null;
}

export interface ClaimedCode {
  verificationId: string;
  /** Code in Base64, encrypted by CodeSeal; null once the code has been used or erased. */
  sealed: string | null;
  /** ISO 8601. */
  expiresAt: string | null;
}

export interface ClaimedDetails {
  channelId: string | null;
  channelSettings: ChannelSettings | null;
  /** From the carrier. */
  pause: { code: string; reason: string } | null;
  acceptedParts: readonly (AcceptedPart & { carrier: string })[] | null;
}

/** A message with an expired lease counts as maybe accepted, because its owner may have submitted it before dying. */
const CLAIM: Statement = {
  name: 'send-claim',
  text: `
UPDATE messages m SET
  status = 'sending',
  attempts = m.attempts + 1,
  sending_at = coalesce(m.sending_at, $2),
  maybe_accepted = m.maybe_accepted OR m.lease_until IS NOT NULL,
  lease_until = now() + $3 * interval '1 second',
  not_before = NULL
FROM unnest($1::uuid[]) AS due(id)
WHERE m.id = due.id AND m.status IN ('queued', 'sending')
  AND (m.lease_until IS NULL OR m.lease_until < now()) AND (m.not_before IS NULL OR m.not_before <= now())
RETURNING m.id, m.account_id AS "accountId", m.kind, m.carrier, m.sender, m.recipient, m.body, m.content,
          m.attempts AS attempt, m.request_id AS "requestId", m.traceparent, m.valid_until AS "validUntil",
          ${isOptedOut('m')} AS "optedOut",
          CASE WHEN NOT m.maybe_accepted THEN m.cancel_reason END AS "cancelReason",
          CASE WHEN m.verification_id IS NOT NULL THEN json_build_object(
            'verificationId', m.verification_id,
            'sealed', (SELECT encode(v.sealed_code, 'base64') FROM verifications v WHERE v.id = m.verification_id),
            'expiresAt', (SELECT v.expires_at FROM verifications v WHERE v.id = m.verification_id)
          ) END AS code,
          CASE WHEN m.channel_id IS NOT NULL OR (m.parts > 1 AND m.attempts > 1) THEN json_build_object(
            'channelId', m.channel_id,
            'channelSettings', (SELECT c.carrier_settings FROM channels c WHERE c.id = m.channel_id),
            'pause', (SELECT json_build_object('code', c.pause_code, 'reason', c.pause_reason)
                      FROM channels c WHERE c.id = m.channel_id AND c.paused_at IS NOT NULL),
            'acceptedParts', (
              SELECT json_agg(json_build_object('part', p.part, 'carrier', p.carrier,
                                                'carrierMessageId', p.carrier_message_id) ORDER BY p.part)
              FROM message_parts p WHERE p.message_id = m.id AND m.parts > 1)
          ) END AS details`,
};

/** @param now time recorded as the start of sending */
export async function claimMessages(pool: pg.Pool, ids: readonly string[], now: Date): Promise<ClaimedMessage[]> {
  const { rows } = await pool.query<ClaimedMessage>({
    ...CLAIM,
    values: [toPlainArray([...ids].sort()), now.toISOString(), LEASE_SECONDS],
  });
  return rows;
}

export interface ChangedRules {
  optedOut: boolean;
  cancelReason: string | null;
  isCodeUsed: boolean;
}

const READ_RULES: Statement = {
  name: 'send-read-rules',
  text: `
SELECT * FROM (
  SELECT m.id, ${isOptedOut('m')} AS "optedOut",
         CASE WHEN NOT m.maybe_accepted THEN m.cancel_reason END AS "cancelReason",
         CASE WHEN m.verification_id IS NULL THEN false ELSE
           (SELECT v.sealed_code FROM verifications v WHERE v.id = m.verification_id) IS NULL END AS "isCodeUsed"
  FROM unnest($1::uuid[]) AS held(id) JOIN messages m ON m.id = held.id
) rules WHERE "optedOut" OR "cancelReason" IS NOT NULL OR "isCodeUsed"`,
};

export async function readRules(pool: pg.Pool, ids: readonly string[]): Promise<ReadonlyMap<string, ChangedRules>> {
  const { rows } = await pool.query<ChangedRules & { id: string }>({ ...READ_RULES, values: [toPlainArray(ids)] });
  return new Map(rows.map(({ id, ...rules }) => [id, rules]));
}

const RENEW_LEASES: Statement = {
  name: 'send-renew',
  text: `
UPDATE messages m SET lease_until = now() + $3 * interval '1 second'
FROM unnest($1::uuid[], $2::smallint[]) AS held(id, attempt)
WHERE m.id = held.id AND m.status = 'sending' AND m.attempts = held.attempt AND m.lease_until IS NOT NULL
RETURNING m.id`,
};

export async function renewLeases(pool: pg.Pool, messages: readonly ClaimedMessage[]): Promise<Set<string>> {
  const sorted = [...messages].sort((a, b) => (a.id < b.id ? -1 : 1));
  const { rows } = await pool.query<{ id: string }>({
    ...RENEW_LEASES,
    values: [sorted.map((message) => message.id), sorted.map((message) => message.attempt), LEASE_SECONDS],
  });
  return new Set(rows.map(({ id }) => id));
}
