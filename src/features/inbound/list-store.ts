import type pg from 'pg';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';
import { contactIdSql, inPortfolioSql } from '../contacts/identity/portfolio-sql.js';

/** Null matches any value. */
export interface InboundFilter {
  accountId: string;
  from: { phone: string } | { userId: string } | { contactId: string } | null;
  /** As digits. */
  to: string | null;
  kind: 'sms' | 'whatsapp' | null;
  /** From inclusive, to exclusive. */
  receivedFrom: Date | null;
  receivedTo: Date | null;
}

export interface InboundEntry {
  id: string;
  kind: 'sms' | 'whatsapp';
  channelId: string;
  contactId: string;
  conversationId: string;
  from: string | null;
  userId: string | null;
  username: string | null;
  to: string;
  /** Meta's message type, or `text` for an SMS. */
  type: string;
  body: string;
  payload: object;
  sentAt: Date;
  /** Equals `sentAt` for a message from before the channel was connected. */
  receivedAt: Date;
}

/** Range of IDs from `floor` (inclusive) to `ceiling` (exclusive). */
export interface IdRange {
  floor: string;
  ceiling: string;
}

const FIND_FLOOR: PlannedStatement = {
  text: `SELECT id FROM inbound_messages WHERE account_id = $1 AND id >= $2 AND id < $3
         ORDER BY id DESC OFFSET $4 LIMIT 1`,
};

/** Finds the ID that is `rows` rows below the ceiling, or null if the range has fewer rows. */
export async function findRowBelow(
  pool: pg.Pool,
  accountId: string,
  { floor, ceiling }: IdRange,
  rows: number,
): Promise<string | null> {
  const result = await pool.query<{ id: string }>({ ...FIND_FLOOR, values: [accountId, floor, ceiling, rows - 1] });
  return result.rows[0]?.id ?? null;
}

const ENTRY_COLUMNS = `i.id, ch.kind, i.channel_id AS "channelId", c.id AS "contactId", v.id AS "conversationId", c.phone AS "from", c.user_id AS "userId", c.username, ch.phone_number AS "to", i.type, i.body,
  i.payload, i.received_at AS "sentAt", i.created_at AS "receivedAt"`;
// The parameters are $1 account, $2 floor, $3 ceiling, $4 to $7 filter, and $8 limit. The joins exclude messages of
// deleted contacts.
const IN_RANGE = 'i.account_id = $1 AND i.id >= $2 AND i.id < $3';
const MATCHES_CHANNEL = '($4::text IS NULL OR ch.phone_number = $4) AND ($5::channel_kind IS NULL OR ch.kind = $5)';
const MATCHES_TIME =
  '($6::timestamptz IS NULL OR i.created_at >= $6) AND ($7::timestamptz IS NULL OR i.created_at < $7)';

const FIND: PlannedStatement = {
  text: `
SELECT ${ENTRY_COLUMNS} FROM inbound_messages i
JOIN conversations v ON v.id = i.conversation_id JOIN contacts c ON c.id = v.contact_id
JOIN channels ch ON ch.id = i.channel_id
WHERE ${IN_RANGE} AND ${MATCHES_CHANNEL} AND ${MATCHES_TIME}
ORDER BY i.id DESC LIMIT $8`,
};

/**
 * Reads the messages of one sender through the sender's conversations, of which each channel has at most one.
 * `isSender` is a condition on `contacts c`, with the sender in $9.
 */
const buildFindFrom = (isSender: string): PlannedStatement => ({
  text: `
SELECT ${ENTRY_COLUMNS} FROM channels ch
JOIN contacts c ON c.channel_id = ch.id AND ${isSender} JOIN conversations v ON v.contact_id = c.id
CROSS JOIN LATERAL (
  SELECT i.* FROM inbound_messages i WHERE i.conversation_id = v.id AND ${IN_RANGE} AND ${MATCHES_TIME}
  ORDER BY i.id DESC LIMIT $8
) i
WHERE ch.account_id = $1 AND ${MATCHES_CHANNEL}
ORDER BY i.id DESC LIMIT $8`,
});

const FIND_FROM_PHONE = buildFindFrom(`c.id = ${contactIdSql('ch.id', '$9', '$1')}`);
const FIND_FROM_USER = buildFindFrom(
  `c.id IN (SELECT contact_id FROM contact_identities WHERE channel_id = ch.id AND user_id = $9 AND ${inPortfolioSql('ch.id')})`,
);
const FIND_FROM_CONTACT = buildFindFrom(
  'c.id = coalesce((SELECT contact_id FROM merged_contacts WHERE id = $9::uuid), $9::uuid)',
);

function selectStatement(from: NonNullable<InboundFilter['from']>): [PlannedStatement, string] {
  if ('phone' in from) return [FIND_FROM_PHONE, from.phone];
  return 'userId' in from ? [FIND_FROM_USER, from.userId] : [FIND_FROM_CONTACT, from.contactId];
}

const FIND_BY_IDS: PlannedStatement = {
  text: `
SELECT ${ENTRY_COLUMNS} FROM inbound_messages i
JOIN conversations v ON v.id = i.conversation_id JOIN contacts c ON c.id = v.contact_id
JOIN channels ch ON ch.id = i.channel_id
WHERE i.account_id = $1 AND i.id = ANY($2::uuid[])`,
};

export async function findInboundsByIds(
  pool: pg.Pool,
  accountId: string,
  ids: readonly string[],
): Promise<InboundEntry[]> {
  const { rows } = await pool.query<InboundEntry>({ ...FIND_BY_IDS, values: [accountId, ids] });
  return rows;
}

/** Newest first. */
export async function findInbounds(
  pool: pg.Pool,
  { accountId, from, to, kind, receivedFrom, receivedTo }: InboundFilter,
  { floor, ceiling }: IdRange,
  limit: number,
): Promise<InboundEntry[]> {
  const times = [receivedFrom?.toISOString() ?? null, receivedTo?.toISOString() ?? null];
  const values = [accountId, floor, ceiling, to, kind, ...times, limit];
  const [statement, sender] = from === null ? [FIND, []] : selectStatement(from);
  const { rows } = await pool.query<InboundEntry>({ ...statement, values: values.concat(sender) });
  return rows;
}
