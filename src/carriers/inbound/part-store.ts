import type pg from 'pg';
import type { Statement } from '../../platform/store/connections/pool.js';
import { toStorable } from '../../platform/store/storable.js';
import { toStorableId } from '../carrier-message-id.js';
import type { Concatenation, InboundSms } from '../inbound-message.js';
import { decodeText, type EncodedText, hasByteOrderMark, type TextEncoding } from '../sms/decoding.js';
import { decodePartText, encodePartText } from './part-text.js';

type InboundPart = InboundSms & { concatenation: Concatenation };

/** How long to wait for missing parts after the most recent part has arrived. */
const PATIENCE_MS = 10 * 60_000;
const GAP = '…';
/** Maximum number of incomplete messages that a single sweep gives up. */
const OVERDUE_MESSAGES = 500;

/**
 * A different text under the same reference belongs to a new message and replaces the part. The statement that stores a part
 * must also read `wasStored`, because another process may store the complete message right afterwards.
 */
const STORE_PART: Statement = {
  name: 'inbound-parts-keep',
  text: `WITH earlier AS (
           SELECT FROM inbound_parts
           WHERE carrier = $1 AND sender = $2 AND recipient = $3 AND reference = $4 AND total = $5 AND part = $6
             AND stored_at IS NOT NULL
         ), inserted AS (
           INSERT INTO inbound_parts (carrier, sender, recipient, reference, total, part, carrier_message_id, body, received_at, is_binary, kept_at,
                                      octets, encoding)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
           ON CONFLICT (carrier, sender, recipient, reference, total, part) DO UPDATE
           SET carrier_message_id = excluded.carrier_message_id, body = excluded.body, received_at = excluded.received_at, is_binary = excluded.is_binary,
               kept_at = excluded.kept_at, octets = excluded.octets, encoding = excluded.encoding
           WHERE inbound_parts.body <> excluded.body AND inbound_parts.stored_at IS NULL
         )
         SELECT EXISTS (SELECT FROM earlier) AS "wasStored"`,
};

const FIND: Statement = {
  name: 'inbound-parts-find',
  text: `SELECT part, carrier_message_id AS "carrierMessageId", body, received_at AS "receivedAt", is_binary AS "isBinary",
                octets, encoding, stored_at AS "storedAt"
         FROM inbound_parts
         WHERE carrier = $1 AND sender = $2 AND recipient = $3 AND reference = $4 AND total = $5 ORDER BY part`,
};

const MARK_STORED: Statement = {
  name: 'inbound-parts-mark-stored',
  text: `UPDATE inbound_parts SET stored_at = $6
         WHERE carrier = $1 AND sender = $2 AND recipient = $3 AND reference = $4 AND total = $5`,
};

const REMOVE_STORED_PARTS: Statement = {
  name: 'inbound-parts-remove-stored-of',
  text: `DELETE FROM inbound_parts
         WHERE carrier = $1 AND sender = $2 AND recipient = $3 AND reference = $4 AND total = $5
           AND stored_at IS NOT NULL`,
};

const REMOVE_STORED: Statement = {
  name: 'inbound-parts-remove-stored',
  text: 'DELETE FROM inbound_parts WHERE stored_at <= $1',
};

const REMOVE: Statement = {
  name: 'inbound-parts-remove',
  text: `DELETE FROM inbound_parts
         WHERE carrier = $1 AND sender = $2 AND recipient = $3 AND reference = $4 AND total = $5`,
};

/**
 * Scans the whole table, which contains only recent parts. Whether a message is overdue depends on arrival times, because
 * carriers may report parts late.
 */
const FIND_OVERDUE: Statement = {
  name: 'inbound-parts-find-overdue',
  text: `SELECT carrier, sender AS "from", recipient AS "to", reference, total FROM inbound_parts WHERE stored_at IS NULL
         GROUP BY carrier, sender, recipient, reference, total HAVING max(kept_at) <= $1 LIMIT ${OVERDUE_MESSAGES}`,
};

interface PartRow {
  part: number;
  carrierMessageId: string;
  body: string;
  receivedAt: Date;
  isBinary: boolean;
  /** Encoded octets; null for a part that arrived as text, or that an earlier version stored. */
  octets: Buffer | null;
  encoding: TextEncoding | null;
  storedAt: Date | null;
}

export interface InboundKey {
  carrier: string;
  from: string;
  to: string;
  reference: number;
  total: number;
}

/**
 * Returns the complete message once all parts have arrived. Parts are kept for some time after `markStored`, so that
 * repetitions are recognized. `isRepetition` means that the part was delivered before.
 */
export async function storePart(
  pool: pg.Pool,
  message: InboundPart,
  { isRepetition, now }: { isRepetition: boolean; now: Date },
): Promise<InboundSms | null> {
  const key = toInboundKey(message);
  let { wasStored, parts } = await insertPart(pool, key, message, now);
  if (wasStored && isRepetition) return null;
  if (wasStored || !parts.some(({ part }) => part === message.concatenation.part)) {
    await pool.query({ ...REMOVE_STORED_PARTS, values: toKeyValues(key) });
    ({ parts } = await insertPart(pool, key, message, now));
  }
  return parts.length === key.total && parts.every(({ storedAt }) => !storedAt) ? joinParts(key, parts) : null;
}

async function insertPart(
  pool: pg.Pool,
  key: InboundKey,
  message: InboundPart,
  now: Date,
): Promise<{ wasStored: boolean; parts: PartRow[] }> {
  const { carrierMessageId, body, receivedAt, isBinary = false, concatenation, encoded } = message;
  const values = [
    ...[toStorableId(carrierMessageId), encodePartText(body), receivedAt.toISOString(), isBinary, now.toISOString()],
    ...[encoded?.octets ?? null, encoded?.encoding ?? null],
  ];
  const { rows } = await pool.query<{ wasStored: boolean }>({
    ...STORE_PART,
    values: [...toKeyValues(key), concatenation.part, ...values],
  });
  return { wasStored: rows[0]?.wasStored === true, parts: await findParts(pool, key) };
}

/** Marks the message as stored, because a repetition of its last part would otherwise store the whole message again. */
export async function markStored(pool: pg.Pool, key: InboundKey, now: Date): Promise<void> {
  await pool.query({ ...MARK_STORED, values: [...toKeyValues(key), now.toISOString()] });
}

export async function removeStoredParts(pool: pg.Pool, now: Date): Promise<void> {
  await pool.query({ ...REMOVE_STORED, values: [new Date(now.getTime() - PATIENCE_MS).toISOString()] });
}

export async function removeParts(pool: pg.Pool, key: InboundKey): Promise<void> {
  await pool.query({ ...REMOVE, values: toKeyValues(key) });
}

export async function findOverdueMessages(
  pool: pg.Pool,
  now: Date,
): Promise<{ key: InboundKey; message: InboundSms }[]> {
  const cutoff = new Date(now.getTime() - PATIENCE_MS);
  const { rows } = await pool.query<InboundKey>({ ...FIND_OVERDUE, values: [cutoff.toISOString()] });
  const overdueMessages: { key: InboundKey; message: InboundSms }[] = [];
  for (const key of rows) {
    const parts = (await findParts(pool, key)).filter(({ storedAt }) => !storedAt);
    if (parts.length > 0) overdueMessages.push({ key, message: joinParts(key, parts) });
  }
  return overdueMessages;
}

export function toInboundKey({ carrier, from, to, concatenation: { reference, total } }: InboundPart): InboundKey {
  return { carrier, from: toStorable(from), to: toStorable(to), reference, total };
}

async function findParts(pool: pg.Pool, key: InboundKey): Promise<PartRow[]> {
  const { rows } = await pool.query<PartRow>({ ...FIND, values: toKeyValues(key) });
  return rows;
}

function toKeyValues({ carrier, from, to, reference, total }: InboundKey): unknown[] {
  return [carrier, from, to, reference, total];
}

/** A message gets the ID and time of its first part, so that a repetition gets the same ID and time. */
function joinParts({ carrier, from, to, total }: InboundKey, parts: readonly PartRow[]): InboundSms {
  const [first] = parts as [PartRow];
  const { carrierMessageId, receivedAt } = first;
  if (first.isBinary) {
    const body = Buffer.concat(parts.map((part) => Buffer.from(part.body, 'base64'))).toString('base64');
    return { carrier, carrierMessageId, from, to, body, isBinary: true, receivedAt };
  }
  let body = '';
  let expectedPart = 1;
  let run: EncodedText | null = null;
  const endRun = () => {
    if (run) body += decodeText(run);
    run = null;
  };
  for (const row of parts) {
    const isNext = row.part === expectedPart;
    const encoded = toEncodedText(row);
    if (!isNext || !encoded || !continuesRun(run, encoded)) endRun();
    if (!isNext) body += GAP;
    if (encoded) run = joinOctets(run, encoded);
    else body += decodePartText(row.body);
    expectedPart = row.part + 1;
  }
  endRun();
  if (expectedPart <= total) body += GAP;
  return { carrier, carrierMessageId, from, to, body: toStorable(body), receivedAt };
}

function continuesRun(run: EncodedText | null, { octets, encoding }: EncodedText): boolean {
  if (run?.encoding !== encoding) return false;
  // Some gateways start each part with a byte order mark.
  return !(encoding === 'ucs2' && run.octets.length % 2 === 0 && hasByteOrderMark(octets));
}

function joinOctets(run: EncodedText | null, next: EncodedText): EncodedText {
  return run ? { octets: Buffer.concat([run.octets, next.octets]), encoding: next.encoding } : next;
}

/** Returns null if an earlier version replaced the part without its octets. */
function toEncodedText({ octets, encoding, body }: PartRow): EncodedText | null {
  if (!octets || !encoding) return null;
  const encoded = { octets, encoding };
  return decodeText(encoded) === decodePartText(body) ? encoded : null;
}
