import type pg from 'pg';
import type { AcceptedPart } from '../../carriers/carrier.js';
import { toStorableId } from '../../carriers/carrier-message-id.js';
import { toColumns } from '../../platform/store/columns.js';
import type { Statement } from '../../platform/store/connections/pool.js';
import { toStorable } from '../../platform/store/storable.js';
import type { MessageStatus } from '../message-status.js';

export interface AcceptedParts {
  id: string;
  attempt: number;
  carrier: string;
  parts: readonly AcceptedPart[];
}

/**
 * Writes parts only while the attempt owns its message. A part that is sent again gets the new ID and loses its earlier
 * receipt.
 */
const INSERT_PARTS: Statement = {
  name: 'parts-insert',
  text: `
INSERT INTO message_parts AS known (message_id, part, carrier, carrier_message_id)
SELECT t.id, t.part, t.carrier, t.carrier_message_id
FROM unnest($1::uuid[], $2::smallint[], $3::smallint[], $4::text[], $5::text[])
  AS t(id, attempt, part, carrier, carrier_message_id)
JOIN messages m ON m.id = t.id AND m.status = 'sending' AND m.attempts = t.attempt AND m.lease_until IS NOT NULL
ON CONFLICT (message_id, part) DO UPDATE
  SET carrier = EXCLUDED.carrier, carrier_message_id = EXCLUDED.carrier_message_id, status = NULL, ended_at = NULL,
      error_code = NULL, error_message = NULL
  WHERE (known.carrier, known.carrier_message_id) <> (EXCLUDED.carrier, EXCLUDED.carrier_message_id)`,
};

/** Must be called before the message is marked sent, so that early receipts find it. */
export async function insertParts(pool: pg.Pool, accepted: readonly AcceptedParts[]): Promise<void> {
  const rows = accepted
    .flatMap(({ id, attempt, carrier, parts }) => parts.map((part) => ({ id, attempt, carrier, ...part })))
    .sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : a.part - b.part));
  if (rows.length === 0) return;
  const values = toColumns(rows, (r) => [r.id, r.attempt, r.part, r.carrier, toStorableId(r.carrierMessageId)]);
  await pool.query({ ...INSERT_PARTS, values });
}

export interface PartReceipt {
  messageId: string;
  part: number;
  status: MessageStatus;
  at: Date;
  errorCode: string | null;
  errorMessage: string | null;
}

/** Only the first receipt of a part counts. */
const SETTLE_PARTS: Statement = {
  name: 'parts-settle',
  text: `
UPDATE message_parts p SET
  status = r.status, ended_at = r.at, error_code = r.error_code, error_message = r.error_message
FROM unnest($1::uuid[], $2::smallint[], $3::message_status[], $4::timestamptz[], $5::text[], $6::text[])
  AS r(message_id, part, status, at, error_code, error_message)
WHERE p.message_id = r.message_id AND p.part = r.part AND p.status IS NULL`,
};

export async function recordPartReceipts(pool: pg.Pool, receipts: readonly PartReceipt[]): Promise<void> {
  const firstReceipts = new Map<string, PartReceipt>();
  for (const receipt of receipts) {
    const key = `${receipt.messageId} ${String(receipt.part).padStart(3, '0')}`;
    if (!firstReceipts.has(key)) firstReceipts.set(key, receipt);
  }
  const rows = [...firstReceipts.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, receipt]) => receipt);
  const values = toColumns(rows, ({ messageId, part, status, at, errorCode, errorMessage }) => [
    messageId,
    part,
    status,
    at.toISOString(),
    toStorable(errorCode),
    toStorable(errorMessage),
  ]);
  await pool.query({ ...SETTLE_PARTS, values });
}

export interface PartsState {
  id: string;
  isEarly: boolean;
  isDelivered: boolean;
  /** Time of the latest receipt. */
  lastAt: Date | null;
  failure: {
    status: 'undelivered' | 'failed' | 'rejected' | 'expired';
    at: Date;
    errorCode: string | null;
    errorMessage: string | null;
  } | null;
}

const READ_PARTS_STATES: Statement = {
  name: 'parts-look',
  text: `
SELECT m.id, m.status IN ('queued', 'sending') AS "isEarly", s.delivered AS "isDelivered", s.last_at AS "lastAt", f.status, f.ended_at,
       f.error_code, f.error_message
FROM unnest($1::uuid[]) AS r(id)
JOIN messages m ON m.id = r.id
CROSS JOIN LATERAL (
  SELECT coalesce(bool_and(coalesce(p.status IN ('delivered', 'read'), false)), false) AS delivered,
         max(p.ended_at) AS last_at
  FROM message_parts p WHERE p.message_id = m.id
) s
LEFT JOIN LATERAL (
  SELECT p.status, p.ended_at, p.error_code, p.error_message FROM message_parts p
  WHERE p.message_id = m.id AND p.status NOT IN ('delivered', 'read') ORDER BY p.ended_at, p.part LIMIT 1
) f ON true`,
};

/** By message ID. */
export async function readPartsStates(pool: pg.Pool, messageIds: readonly string[]): Promise<Map<string, PartsState>> {
  const { rows } = await pool.query<PartsRow>({ ...READ_PARTS_STATES, values: [[...new Set(messageIds)].sort()] });
  return new Map(rows.map((row) => [row.id, readState(row)]));
}

interface PartsRow {
  id: string;
  isEarly: boolean;
  isDelivered: boolean;
  lastAt: Date | null;
  status: NonNullable<PartsState['failure']>['status'] | null;
  ended_at: Date | null;
  error_code: string | null;
  error_message: string | null;
}

function readState({ id, isEarly, isDelivered, lastAt, ...failed }: PartsRow): PartsState {
  const { status, ended_at: at, error_code: errorCode, error_message: errorMessage } = failed;
  return { id, isEarly, isDelivered, lastAt, failure: status && at ? { status, at, errorCode, errorMessage } : null };
}
