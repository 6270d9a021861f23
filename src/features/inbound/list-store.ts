import type pg from 'pg';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';
import { contactOf, ofPortfolio } from '../contacts/identity/portfolio-sql.js';

/** Which inbound messages of an account are asked for; null: any. */
export interface InboundFilter {
  accountId: string;
  /** Who wrote: digits, WhatsApp's id of the person, or the id of a contact. */
  from: { phone: string } | { userId: string } | { contactId: string } | null;
  /** Digits of the channel that it was written to. */
  to: string | null;
  kind: 'sms' | 'whatsapp' | null;
  /** When it came to this server, of the past when it was written: from this time on, and before that one. */
  receivedFrom: Date | null;
  receivedTo: Date | null;
}

/** An inbound message as the account sees it. */
export interface InboundEntry {
  id: string;
  kind: 'sms' | 'whatsapp';
  channelId: string;
  contactId: string;
  conversationId: string;
  /** Null of one who is known by an id alone. */
  from: string | null;
  userId: string | null;
  username: string | null;
  to: string;
  /** Meta's type; `text` of an SMS. */
  type: string;
  body: string;
  payload: object;
  /** The carrier's time of the message. */
  sentAt: Date;
  receivedAt: Date;
}

/** A stretch of ids: from `floor` on, below `ceiling`. */
export interface InboundStretch {
  floor: string;
  ceiling: string;
}

const FLOOR: PlannedStatement = {
  text: `SELECT id FROM inbound_messages WHERE account_id = $1 AND id >= $2 AND id < $3
         ORDER BY id DESC OFFSET $4 LIMIT 1`,
};

/** The id of the account's row that is so many rows below the ceiling of a stretch; null when the stretch has fewer. */
export async function floorOfInbound(
  pool: pg.Pool,
  accountId: string,
  { floor, ceiling }: InboundStretch,
  rows: number,
): Promise<string | null> {
  const found = await pool.query<{ id: string }>({ ...FLOOR, values: [accountId, floor, ceiling, rows - 1] });
  return found.rows[0]?.id ?? null;
}

const ENTRY = `i.id, ch.kind, i.channel_id AS "channelId", c.id AS "contactId", v.id AS "conversationId", c.phone AS "from", c.user_id AS "userId", c.username, ch.phone_number AS "to", i.type, i.body,
  i.payload, i.received_at AS "sentAt", i.created_at AS "receivedAt"`;
/** $1 account, $2 floor, $3 ceiling, $4–$7 the filter, $8 most rows. What a deleted contact wrote is gone. */
const OF_STRETCH = 'i.account_id = $1 AND i.id >= $2 AND i.id < $3';
const OF_CHANNEL = '($4::text IS NULL OR ch.phone_number = $4) AND ($5::channel_kind IS NULL OR ch.kind = $5)';
const OF_TIME = '($6::timestamptz IS NULL OR i.created_at >= $6) AND ($7::timestamptz IS NULL OR i.created_at < $7)';

const FIND: PlannedStatement = {
  text: `
SELECT ${ENTRY} FROM inbound_messages i
JOIN conversations v ON v.id = i.conversation_id JOIN contacts c ON c.id = v.contact_id
JOIN channels ch ON ch.id = i.channel_id
WHERE ${OF_STRETCH} AND ${OF_CHANNEL} AND ${OF_TIME}
ORDER BY i.id DESC LIMIT $8`,
};

/**
 * Of one sender: its conversations, one for each channel at the most, lead to its messages.
 * @param who condition on `contacts c` of `channels ch`, with $9
 */
const findFrom = (who: string): PlannedStatement => ({
  text: `
SELECT ${ENTRY} FROM channels ch
JOIN contacts c ON c.channel_id = ch.id AND ${who} JOIN conversations v ON v.contact_id = c.id
CROSS JOIN LATERAL (
  SELECT i.* FROM inbound_messages i WHERE i.conversation_id = v.id AND ${OF_STRETCH} AND ${OF_TIME}
  ORDER BY i.id DESC LIMIT $8
) i
WHERE ch.account_id = $1 AND ${OF_CHANNEL}
ORDER BY i.id DESC LIMIT $8`,
});

const FIND_FROM_PHONE = findFrom(`c.id = ${contactOf('ch.id', '$9', '$1')}`);
const FIND_FROM_USER = findFrom(
  `c.id IN (SELECT contact_id FROM contact_identities WHERE channel_id = ch.id AND user_id = $9 AND ${ofPortfolio('ch.id')})`,
);
const FIND_FROM_CONTACT = findFrom(
  'c.id = coalesce((SELECT contact_id FROM merged_contacts WHERE id = $9::uuid), $9::uuid)',
);

function fromStatement(from: NonNullable<InboundFilter['from']>): [PlannedStatement, string] {
  if ('phone' in from) return [FIND_FROM_PHONE, from.phone];
  return 'userId' in from ? [FIND_FROM_USER, from.userId] : [FIND_FROM_CONTACT, from.contactId];
}

const FIND_BY_IDS: PlannedStatement = {
  text: `
SELECT ${ENTRY} FROM inbound_messages i
JOIN conversations v ON v.id = i.conversation_id JOIN contacts c ON c.id = v.contact_id
JOIN channels ch ON ch.id = i.channel_id
WHERE i.account_id = $1 AND i.id = ANY($2::uuid[])`,
};

/** Inbound messages of an account by their ids, in any order; without those of contacts that were deleted. */
export async function findInboundsByIds(
  pool: pg.Pool,
  accountId: string,
  ids: readonly string[],
): Promise<InboundEntry[]> {
  const { rows } = await pool.query<InboundEntry>({ ...FIND_BY_IDS, values: [accountId, ids] });
  return rows;
}

/** The inbound messages of a stretch that a filter lets pass, the newest first. */
export async function findInbounds(
  pool: pg.Pool,
  { accountId, from, to, kind, receivedFrom, receivedTo }: InboundFilter,
  { floor, ceiling }: InboundStretch,
  limit: number,
): Promise<InboundEntry[]> {
  const times = [receivedFrom?.toISOString() ?? null, receivedTo?.toISOString() ?? null];
  const values = [accountId, floor, ceiling, to, kind, ...times, limit];
  const [statement, sender] = from === null ? [FIND, []] : fromStatement(from);
  const { rows } = await pool.query<InboundEntry>({ ...statement, values: values.concat(sender) });
  return rows;
}
