import type pg from 'pg';
import type { Receipt } from '../../carriers/carrier.js';
import { toStorableId } from '../../carriers/carrier-message-id.js';
import { toTextArray } from '../../platform/store/array-literals.js';
import { toColumns } from '../../platform/store/columns.js';
import type { Statement } from '../../platform/store/connections/pool.js';
import { toStorable } from '../../platform/store/storable.js';
import type { MessageStatus } from '../message-status.js';
import type { ReceiptEvent } from './events.js';
import { listOtherSpellings, spellingsSql } from './id-spellings.js';
import { isAboutOwner, isReplaceableFailure, receiptCountsSql, toReceiptSource } from './report-ownership.js';
import { messageIdIn, type PartReport, parseStoredId, toStoredId } from './unnumbered-part-store.js';

export type CarrierKey = Pick<Receipt, 'carrier' | 'carrierMessageId'>;

export interface Reference {
  carrier: string;
  carrierMessageId: string;
  messageId: string;
  part: number | null;
}

/** If a carrier has reused an ID, the query returns a row for each message with that ID, the newest last. */
const FIND_REFERENCES: Statement = {
  name: 'receipts-find-references',
  text: `SELECT c.carrier, c.carrier_message_id AS "carrierMessageId", c.message_id AS "messageId", NULL AS part
         FROM unnest($1::text[], $2::text[]) AS r(carrier, carrier_message_id)
         JOIN carrier_references c ON c.carrier = r.carrier AND c.carrier_message_id = r.carrier_message_id
         UNION ALL
         SELECT p.carrier, p.carrier_message_id, p.message_id, p.part
         FROM unnest($1::text[], $2::text[]) AS r(carrier, carrier_message_id)
         JOIN message_parts p ON p.carrier = r.carrier AND p.carrier_message_id = r.carrier_message_id
         ORDER BY "messageId"`,
};

export async function findReferences(pool: pg.Pool, receipts: readonly CarrierKey[]): Promise<Reference[]> {
  const { rows } = await pool.query<Reference>({
    ...FIND_REFERENCES,
    values: [
      toTextArray(receipts.map((r) => r.carrier)),
      toTextArray(receipts.map((r) => toStorableId(r.carrierMessageId))),
    ],
  });
  return rows;
}

const FIND_RECIPIENTS: Statement = {
  name: 'receipts-find-recipients',
  text: `SELECT COALESCE(m.recipient, '') AS recipient FROM (
           SELECT message_id FROM carrier_references WHERE carrier = $1 AND carrier_message_id = ANY($2)
           UNION ALL SELECT message_id FROM message_parts WHERE carrier = $1 AND carrier_message_id = ANY($2)
         ) r LEFT JOIN messages m ON m.id = r.message_id`,
};

/** Returns the recipients of messages with this carrier ID, and '' for a deleted message. */
export async function findRecipients(pool: pg.Pool, { carrier, carrierMessageId }: CarrierKey): Promise<string[]> {
  const spellings = [carrierMessageId, ...listOtherSpellings(carrierMessageId)];
  const values = [carrier, spellings.map((each) => toStorableId(each))];
  const { rows } = await pool.query<{ recipient: string }>({ ...FIND_RECIPIENTS, values });
  return rows.map(({ recipient }) => recipient);
}

const JUDGE_RECEIPTS: Statement = {
  name: 'receipts-judge',
  text: `SELECT r.position::int - 1 AS position, m.status, m.sent_at IS NOT NULL AND ${isAboutOwner('r')} AS "isAboutOwner",
                ${receiptCountsSql('r')} AS counts, ${isReplaceableFailure('m')} AS "isReplaceableFailure"
         FROM unnest($1::uuid[], $2::message_status[], $3::text[], $4::text[], $5::smallint[])
           WITH ORDINALITY AS r(id, status, source_carrier, source_id, source_attempt, position)
         JOIN messages m ON m.id = r.id`,
};

export interface Verdict {
  status: MessageStatus;
  /** Whether the receipt is about the attempt that owns the message; false while no attempt owns the message. */
  isAboutOwner: boolean;
  counts: boolean;
  /** Whether the message has a failure that a receipt with `overridesFailure` may replace. */
  isReplaceableFailure: boolean;
}

/** A verdict is undefined if the message does not exist. */
export async function judgeReceipts(
  pool: pg.Pool,
  events: readonly ReceiptEvent[],
): Promise<readonly (Verdict | undefined)[]> {
  if (events.length === 0) return [];
  const { rows } = await pool.query<Verdict & { position: number }>({
    ...JUDGE_RECEIPTS,
    values: toColumns(events, ({ id, status, source }) => [
      id,
      status,
      source?.carrier ?? null,
      source?.carrierMessageId ?? null,
      source?.attempt ?? null,
    ]),
  });
  const verdicts: (Verdict | undefined)[] = events.map(() => undefined);
  for (const { position, ...verdict } of rows) verdicts[position] = verdict;
  return verdicts;
}

export interface SupersededReceipt {
  carrier: string;
  carrierMessageId: string;
  event: ReceiptEvent;
}

const INSERT_SUPERSEDED: Statement = {
  name: 'receipts-insert-superseded',
  text: `INSERT INTO superseded_receipts (message_id, carrier, carrier_message_id, status, attempt, occurred_at, error_code,
                                          error_message)
         SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[], $4::message_status[], $5::smallint[], $6::timestamptz[],
                              $7::text[], $8::text[])
         ON CONFLICT DO NOTHING`,
};

/** Repeated receipts are ignored. */
export async function insertSuperseded(pool: pg.Pool, receipts: readonly SupersededReceipt[]): Promise<void> {
  if (receipts.length === 0) return;
  const values = toColumns(receipts, ({ carrier, carrierMessageId, event }) => [
    event.id,
    carrier,
    toStorableId(carrierMessageId),
    event.status,
    event.source?.attempt ?? null,
    event.at.toISOString(),
    toStorable(event.errorCode),
    toStorable(event.errorMessage),
  ]);
  await pool.query({ ...INSERT_SUPERSEDED, values });
}

const STORE_EARLY: Statement = {
  name: 'receipts-store-early',
  text: `INSERT INTO early_receipts (carrier, carrier_message_id, message_id, status, occurred_at, error_code, error_message,
                                     attempt, overrides_failure, next_look)
         SELECT r.*, now() + $10 * interval '1 millisecond'
         FROM unnest($1::text[], $2::text[], $3::uuid[], $4::message_status[], $5::timestamptz[], $6::text[], $7::text[],
                     $8::smallint[], $9::boolean[]) AS r`,
};

/** @param delayMs time for which the relay's sweep ignores the receipts */
export async function storeEarly(pool: pg.Pool, receipts: readonly Receipt[], delayMs = 0): Promise<void> {
  if (receipts.length === 0) return;
  await pool.query({
    ...STORE_EARLY,
    values: [
      receipts.map((r) => r.carrier),
      receipts.map((r) => toStorableId(toStoredId(r))),
      receipts.map((r) => r.messageId ?? null),
      receipts.map((r) => r.status),
      receipts.map((r) => r.occurredAt.toISOString()),
      receipts.map((r) => toStorable(r.errorCode ?? null)),
      receipts.map((r) => toStorable(r.errorMessage ?? null)),
      receipts.map((r) => r.attempt ?? null),
      receipts.map((r) => r.overridesFailure ?? false),
      delayMs,
    ],
  });
}

export interface StoredReceipt extends SupersededReceipt {
  /** `early_receipts.id` */
  rowId: string;
  event: ReceiptEvent;
  /** Part number, or null if the receipt is about the whole message. */
  part: number | null;
  /** Set if the receipt is about a part of a message whose parts have no IDs. */
  report: PartReport | null;
}

const EARLY_ID = messageIdIn('e.carrier_message_id');
const SPELLINGS = spellingsSql(EARLY_ID);

/** Finds the message of a receipt, and prefers the exact spelling of the ID. */
const WITH_MESSAGE = `
LEFT JOIN LATERAL (
  SELECT r.message_id, r.carrier_message_id FROM carrier_references r
  WHERE r.carrier = e.carrier AND r.carrier_message_id IN ${SPELLINGS}
  ORDER BY r.carrier_message_id <> ${EARLY_ID} LIMIT 1
) c ON true
LEFT JOIN LATERAL (
  SELECT p.message_id, p.part, p.carrier_message_id FROM message_parts p
  WHERE e.message_id IS NULL AND p.carrier = e.carrier AND p.carrier_message_id IN ${SPELLINGS}
  ORDER BY p.carrier_message_id <> ${EARLY_ID}, p.message_id DESC LIMIT 1
) p ON true
LEFT JOIN messages m ON m.id = coalesce(e.message_id, greatest(c.message_id, p.message_id))
  AND m.status NOT IN ('queued', 'sending')`;

const APPLICABLE_COLUMNS = `e.id AS row_id, m.id, CASE WHEN p.message_id = m.id THEN p.part END AS part, e.status, e.occurred_at,
  e.error_code, e.error_message, e.carrier, e.carrier_message_id, e.message_id, e.attempt, e.overrides_failure,
  CASE WHEN e.message_id IS NULL THEN coalesce(CASE WHEN p.message_id = m.id THEN p.carrier_message_id END, c.carrier_message_id) END
    AS referred_id`;

const ANY_EARLY: Statement = { name: 'receipts-any-early', text: 'SELECT 1 FROM early_receipts LIMIT 1' };

const FIND_STORED_FOR_SENT: Statement = {
  name: 'receipts-find-of-sent',
  text: `SELECT ${APPLICABLE_COLUMNS}
         FROM unnest($1::text[], $2::text[]) AS s(carrier, carrier_message_id)
         JOIN early_receipts e ON e.carrier = s.carrier AND e.carrier_message_id = s.carrier_message_id
         ${WITH_MESSAGE}
         ORDER BY e.id`,
};

export async function findStoredForSent(pool: pg.Pool, keys: readonly CarrierKey[]): Promise<StoredReceipt[]> {
  if ((await pool.query(ANY_EARLY)).rows.length === 0) return [];
  const { rows } = await pool.query<ApplicableRow>({
    ...FIND_STORED_FOR_SENT,
    values: [
      toTextArray(keys.map((key) => key.carrier)),
      toTextArray(keys.map((key) => toStorableId(key.carrierMessageId))),
    ],
  });
  return rows.flatMap(toApplicable);
}

/** Maximum receipts per sweep; a full sweep is immediately followed by another. */
export const MAX_SWEPT_RECEIPTS = 1_000;

/**
 * Each sweep doubles the time until the receipt's next sweep, because receipts for other systems are common on a shared
 * SMSC login.
 */
const SWEEP: Statement = {
  name: 'receipts-sweep',
  text: `
WITH swept AS (
  UPDATE early_receipts e SET next_look = now() + greatest(interval '2 seconds', now() - e.received_at)
  WHERE e.id = ANY (ARRAY(
    SELECT id FROM early_receipts WHERE next_look <= now() ORDER BY next_look LIMIT $1 FOR UPDATE SKIP LOCKED))
  RETURNING e.*
)
SELECT ${APPLICABLE_COLUMNS} FROM swept e ${WITH_MESSAGE}
ORDER BY e.id`,
};

export async function sweepEarly(pool: pg.Pool): Promise<{ examined: number; applicable: StoredReceipt[] }> {
  const { rows } = await pool.query<ApplicableRow>({ ...SWEEP, values: [MAX_SWEPT_RECEIPTS] });
  return { examined: rows.length, applicable: rows.flatMap(toApplicable) };
}

const DELETE_EARLY: Statement = {
  name: 'receipts-delete-early',
  text: 'DELETE FROM early_receipts WHERE id = ANY($1::bigint[])',
};

export async function deleteEarly(pool: pg.Pool, rowIds: readonly string[]): Promise<void> {
  await pool.query({ ...DELETE_EARLY, values: [rowIds] });
}

interface ApplicableRow {
  row_id: string;
  id: string | null;
  part: number | null;
  status: ReceiptEvent['status'];
  occurred_at: Date;
  error_code: string | null;
  error_message: string | null;
  carrier: string;
  carrier_message_id: string;
  message_id: string | null;
  attempt: number | null;
  referred_id: string | null;
  overrides_failure: boolean;
}

function toApplicable({ row_id: rowId, id, part, status, occurred_at: at, ...row }: ApplicableRow): StoredReceipt[] {
  if (id === null) return [];
  const { carrier, message_id: messageId, attempt } = row;
  const parsedId = parseStoredId(row.carrier_message_id);
  const carrierMessageId = row.referred_id ?? parsedId.carrierMessageId;
  const event = {
    type: 'receipt',
    id,
    source: toReceiptSource({
      carrier,
      carrierMessageId,
      ...(messageId !== null && { messageId }),
      ...(attempt !== null && { attempt }),
    }),
    status,
    ...(row.overrides_failure && { overridesFailure: true }),
    at,
    errorCode: row.error_code,
    errorMessage: row.error_message,
  } as const;
  return [{ rowId, event, part, report: parsedId.part, carrier, carrierMessageId }];
}
