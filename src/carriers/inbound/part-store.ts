import type pg from 'pg';
import type { Statement } from '../../platform/store/pool.js';
import { storable } from '../../platform/store/storable.js';
import type { Concatenation, InboundSms } from '../inbound-message.js';

/** An SMS that is a part of a longer one. */
type InboundPart = InboundSms & { concatenation: Concatenation };

/** How long a message waits for a part that is missing, after the last one that came. */
const PATIENCE_MS = 10 * 60_000;
/** Stands in a text where a part never came. */
const GAP = '…';
/** Incomplete messages that one sweep gives up waiting for. */
const OVERDUE_MESSAGES = 500;

/** The same part again changes nothing; another text under the same reference is that of a new message. */
const KEEP: Statement = {
  name: 'inbound-parts-keep',
  text: `INSERT INTO inbound_parts (carrier, sender, recipient, reference, total, part, carrier_message_id, body, received_at, is_binary)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
         ON CONFLICT (carrier, sender, recipient, reference, total, part) DO UPDATE
         SET carrier_message_id = excluded.carrier_message_id, body = excluded.body, received_at = excluded.received_at, is_binary = excluded.is_binary
         WHERE inbound_parts.body <> excluded.body`,
};

const FIND: Statement = {
  name: 'inbound-parts-find',
  text: `SELECT part, carrier_message_id AS "carrierMessageId", body, received_at AS "receivedAt", is_binary AS "isBinary"
         FROM inbound_parts
         WHERE carrier = $1 AND sender = $2 AND recipient = $3 AND reference = $4 AND total = $5 ORDER BY part`,
};

const REMOVE: Statement = {
  name: 'inbound-parts-remove',
  text: `DELETE FROM inbound_parts
         WHERE carrier = $1 AND sender = $2 AND recipient = $3 AND reference = $4 AND total = $5`,
};

/** The table holds only what is under way, so it is read whole. */
const FIND_OVERDUE: Statement = {
  name: 'inbound-parts-find-overdue',
  text: `SELECT carrier, sender AS "from", recipient AS "to", reference, total FROM inbound_parts
         GROUP BY carrier, sender, recipient, reference, total HAVING max(received_at) <= $1 LIMIT ${OVERDUE_MESSAGES}`,
};

interface PartRow {
  part: number;
  carrierMessageId: string;
  body: string;
  receivedAt: Date;
  isBinary: boolean;
}

/** Which message parts belong to. */
export interface InboundKey {
  carrier: string;
  from: string;
  to: string;
  reference: number;
  total: number;
}

/** Keeps a part and answers with the whole message once all parts are there. They stay until `removeParts`. */
export async function keepPart(pool: pg.Pool, message: InboundPart): Promise<InboundSms | null> {
  const key = keyOf(message);
  const { carrierMessageId, body, receivedAt, isBinary = false, concatenation } = message;
  await pool.query({
    ...KEEP,
    values: [
      ...valuesOf(key),
      concatenation.part,
      carrierMessageId,
      storable(body),
      receivedAt.toISOString(),
      isBinary,
    ],
  });
  const parts = await findParts(pool, key);
  return parts.length === key.total ? join(key, parts) : null;
}

/** To be called once the whole message is stored: until then a repetition of its last part tries again. */
export async function removeParts(pool: pg.Pool, key: InboundKey): Promise<void> {
  await pool.query({ ...REMOVE, values: valuesOf(key) });
}

/** Messages whose missing parts have not come in time, as far as they are known. */
export async function findOverdue(pool: pg.Pool, now: Date): Promise<{ key: InboundKey; message: InboundSms }[]> {
  const border = new Date(now.getTime() - PATIENCE_MS);
  const { rows } = await pool.query<InboundKey>({ ...FIND_OVERDUE, values: [border.toISOString()] });
  const found: { key: InboundKey; message: InboundSms }[] = [];
  for (const key of rows) {
    const parts = await findParts(pool, key);
    if (parts.length > 0) found.push({ key, message: join(key, parts) });
  }
  return found;
}

export function keyOf({ carrier, from, to, concatenation: { reference, total } }: InboundPart): InboundKey {
  return { carrier, from: storable(from), to: storable(to), reference, total };
}

async function findParts(pool: pg.Pool, key: InboundKey): Promise<PartRow[]> {
  const { rows } = await pool.query<PartRow>({ ...FIND, values: valuesOf(key) });
  return rows;
}

function valuesOf({ carrier, from, to, reference, total }: InboundKey): unknown[] {
  return [carrier, from, to, reference, total];
}

/** Under the id and at the time of its first part, which a repetition does not change. */
function join({ carrier, from, to, total }: InboundKey, parts: readonly PartRow[]): InboundSms {
  const [first] = parts as [PartRow];
  const { carrierMessageId, receivedAt } = first;
  if (first.isBinary) {
    const body = Buffer.concat(parts.map((part) => Buffer.from(part.body, 'base64'))).toString('base64');
    return { carrier, carrierMessageId, from, to, body, isBinary: true, receivedAt };
  }
  let body = '';
  let expected = 1;
  for (const { part, body: text } of parts) {
    body += part === expected ? text : GAP + text;
    expected = part + 1;
  }
  if (expected <= total) body += GAP;
  return { carrier, carrierMessageId, from, to, body, receivedAt };
}
