import type pg from 'pg';
import type { Receipt } from '../../carriers/carrier.js';
import { toStorableId } from '../../carriers/carrier-message-id.js';
import { inTransaction, type PlannedStatement } from '../../platform/store/connections/pool.js';
import { retryTransaction } from '../../platform/store/repeat.js';
import { toStorable } from '../../platform/store/storable.js';
import type { MessageStatus } from '../message-status.js';
import type { ReceiptEvent } from './events.js';
import { isAboutOwner } from './report-ownership.js';

/*
 * Some carriers give a message of several parts a single ID and report on each part, with or without its number. Because such
 * reports do not identify a part, each report settles any open part.
 */

/** No carrier uses this character in IDs. */
const SEPARATOR = '\u001f';
export const messageIdIn = (id: string) => `split_part(${id}, E'\\x1F', 1)`;

export interface PartReport {
  /** Key that identifies the report: a repeated report has the same key. */
  key: string;
  /** Number of parts as the carrier counts them, or null if unknown. */
  total: number | null;
}

function toPartReportId(carrierMessageId: string, { key, total }: PartReport): string {
  return [carrierMessageId, total ?? '', key].join(SEPARATOR);
}

export function toStoredId({ carrierMessageId, part }: Pick<Receipt, 'carrierMessageId' | 'part'>): string {
  return part ? toPartReportId(carrierMessageId, part) : carrierMessageId;
}

/** `part` is null if the receipt is about the whole message. */
export function parseStoredId(id: string): { carrierMessageId: string; part: PartReport | null } {
  const [carrierMessageId = '', total = '', ...key] = id.split(SEPARATOR);
  if (key.length === 0) return { carrierMessageId: id, part: null };
  return { carrierMessageId, part: { key: key.join(SEPARATOR), total: total === '' ? null : Number(total) } };
}

/** A report is settled as `whole` if the message has only one part or the report is about another attempt. */
export type PartSettlement = 'early' | 'whole' | 'settled';

const LOCK_MESSAGE: PlannedStatement = {
  text: `SELECT m.status, m.parts, m.carrier, coalesce(${isAboutOwner('r')}, false) AS "isAboutOwner"
         FROM messages m, (VALUES ($2::text, $3::text, $4::smallint)) AS r(source_carrier, source_id, source_attempt)
         WHERE m.id = $1 FOR NO KEY UPDATE OF m`,
};

/** Deletes surplus parts, because the carrier may count fewer parts than we do. */
const DROP_SURPLUS: PlannedStatement = {
  text: 'DELETE FROM message_parts WHERE message_id = $1 AND part > $2::smallint AND status IS NULL',
};

const ADD_MISSING: PlannedStatement = {
  text: `INSERT INTO message_parts (message_id, part, carrier, carrier_message_id)
         SELECT $1, n, $3, $4 || '/' || n FROM generate_series(1, $2::int) AS n
         ON CONFLICT DO NOTHING`,
};

const SETTLE_OPEN_PART: PlannedStatement = {
  text: `UPDATE message_parts SET status = $3::message_status, ended_at = $4, error_code = $5, error_message = $6, carrier_message_id = $2
         WHERE message_id = $1
           AND part = (SELECT min(part) FROM message_parts WHERE message_id = $1 AND status IS NULL)
           AND NOT EXISTS (SELECT FROM message_parts WHERE message_id = $1 AND carrier_message_id = $2)`,
};

/** Locks the message, so that two reports cannot settle the same part. */
export function settleOpenPart(pool: pg.Pool, event: ReceiptEvent, part: PartReport): Promise<PartSettlement> {
  return retryTransaction(() =>
    inTransaction(pool, async (client) => {
      const { id, source } = event;
      const values = [id, source?.carrier ?? null, source?.carrierMessageId ?? null, source?.attempt ?? null];
      const [message] = (await client.query<LockedMessage>({ ...LOCK_MESSAGE, values })).rows;
      if (!message) return 'whole';
      if (message.status === 'queued' || message.status === 'sending') return 'early';
      const total = part.total ?? message.parts;
      if (total <= 1 || !message.isAboutOwner) return 'whole';
      const carrierMessageId = source?.carrierMessageId ?? id;
      await client.query({ ...DROP_SURPLUS, values: [id, total] });
      await client.query({ ...ADD_MISSING, values: [id, total, message.carrier, carrierMessageId] });
      const reportId = toStorableId(toPartReportId(carrierMessageId, part));
      const outcome = [
        event.status,
        event.at.toISOString(),
        toStorable(event.errorCode),
        toStorable(event.errorMessage),
      ];
      await client.query({ ...SETTLE_OPEN_PART, values: [id, reportId, ...outcome] });
      return 'settled';
    }),
  );
}

interface LockedMessage {
  status: MessageStatus;
  parts: number;
  carrier: string;
  isAboutOwner: boolean;
}
