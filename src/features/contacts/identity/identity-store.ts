import type pg from 'pg';
import type { PersonIds } from '../../../carriers/numbers/user-ids.js';
import { buildIsNumberSql } from '../../../carriers/numbers/user-ids.js';
import type { Statement } from '../../../platform/store/connections/pool.js';
import type { Connection } from '../../../platform/store/with-transaction.js';
import { CONTACT_COLUMNS, type ContactRow } from '../record.js';
import type { Candidate, IdentityPlan } from './plan.js';
import { contactIdSql, inPortfolioSql, portfolioSql } from './portfolio-sql.js';

export interface ChannelScope {
  accountId: string;
  channelId: string;
}

const OF_PORTFOLIO = inPortfolioSql('$1');

export interface HoldingContact extends Candidate {
  name: string;
  username: string | null;
  /** Further numbers of the same WhatsApp account as `phone`. */
  numbers: readonly string[];
  conversationId: string | null;
  lastInboundAt: Date | null;
}

/** UNION ALL lets each part use an index, while a condition with OR would read all contacts of the channel. */
const FIND: Statement = {
  name: 'identities-find',
  text: `
SELECT c.id, c.name, c.phone, c.phone_at AS "phoneAt", c.user_id AS "userId", c.user_id_at AS "userIdAt",
       c.parent_user_id AS "parentUserId", c.username, v.id AS "conversationId", v.last_inbound_at AS "lastInboundAt",
       ARRAY(SELECT i.user_id FROM contact_identities i
             WHERE i.contact_id = c.id AND NOT i.is_parent AND NOT ${buildIsNumberSql('i.user_id')} AND i.${OF_PORTFOLIO}) AS "userIds",
       ARRAY(SELECT i.user_id FROM contact_identities i WHERE i.contact_id = c.id AND ${buildIsNumberSql('i.user_id')}) AS numbers,
       (SELECT coalesce(json_object_agg(i.user_id, i.since), '{}') FROM contact_identities i
        WHERE i.contact_id = c.id AND i.is_parent AND i.${OF_PORTFOLIO}) AS "parentIds"
FROM contacts c LEFT JOIN conversations v ON v.contact_id = c.id
WHERE c.account_id = $2 AND c.id IN (
  SELECT id FROM contacts WHERE channel_id = $1 AND phone = ANY($3::text[])
  UNION ALL
  SELECT contact_id FROM contact_identities WHERE channel_id = $1 AND ${OF_PORTFOLIO} AND user_id = ANY($4::text[]))
ORDER BY c.id`,
};

export async function findHolders(
  connection: Connection,
  { accountId, channelId }: ChannelScope,
  people: readonly PersonIds[],
): Promise<HoldingContact[]> {
  const phones = people.flatMap(({ phone }) => phone ?? []);
  const ids = people.flatMap(({ userId, parentUserId }) => [userId, parentUserId].filter((each) => each !== null));
  const values = [channelId, accountId, phones, [...ids, ...phones]];
  const { rows } = await connection.query<HoldingContact & { parentIds: Record<string, string> }>({ ...FIND, values });
  return rows.map((row) => ({
    ...row,
    parentIds: Object.fromEntries(Object.entries(row.parentIds).map(([id, since]) => [id, new Date(since)])),
  }));
}

const LOCK_AGAINST_DELETION: Statement = {
  name: 'identities-hold',
  text: 'SELECT FROM contacts WHERE id = $1 FOR KEY SHARE',
};

/** Prevents deletion of the contact until the transaction ends, or returns false if the contact does not exist. */
export async function holdContact(client: pg.PoolClient, contactId: string): Promise<boolean> {
  const { rowCount } = await client.query({ ...LOCK_AGAINST_DELETION, values: [contactId] });
  return rowCount === 1;
}

/** Locks the IDs in a fixed order, so that two transactions cannot deadlock. */
const LOCK_IDS: Statement = {
  name: 'identities-lock-ids',
  text: `SELECT pg_advisory_xact_lock(hashtextextended(id, 0))
         FROM (SELECT id FROM unnest($1::text[]) AS input(id) ORDER BY id OFFSET 0) AS ordered`,
};

export async function lockIds(client: pg.PoolClient, channelId: string, ids: readonly string[]): Promise<void> {
  await client.query({ ...LOCK_IDS, values: [ids.map((id) => `heliograph:person:${channelId}:${id}`)] });
}

/** A number must be removed before another contact gets it, because each number is unique within a channel. */
const REMOVE_PHONE: Statement = {
  name: 'identities-leave-phone',
  text: 'UPDATE contacts SET phone = NULL, phone_at = NULL, updated_at = $2 WHERE id = $1',
};

const REMOVE_PARENT: Statement = {
  name: 'identities-leave-parent',
  text: 'UPDATE contacts SET parent_user_id = NULL, updated_at = $2 WHERE id = $1',
};

export async function removeIds(
  client: pg.PoolClient,
  { phoneFrom, parentFrom }: Pick<IdentityPlan, 'phoneFrom' | 'parentFrom'>,
  now: Date,
): Promise<void> {
  if (phoneFrom !== null) await client.query({ ...REMOVE_PHONE, values: [phoneFrom, now] });
  if (parentFrom !== null) await client.query({ ...REMOVE_PARENT, values: [parentFrom, now] });
}

const SET_IDS: Statement = {
  name: 'identities-set',
  text: `UPDATE contacts SET phone = $2, phone_at = $3, user_id = $4, user_id_at = $5, parent_user_id = $6, username = $7,
           name = CASE WHEN name = '' THEN $8 ELSE name END, updated_at = $9
         WHERE id = $1
           AND (phone, user_id, parent_user_id, username, name = '' AND $8 <> '') IS DISTINCT FROM ($2, $4, $6, $7, false)
         RETURNING ${CONTACT_COLUMNS}`,
};

const KEEP_TIMES: Statement = {
  name: 'identities-keep-times',
  text: 'UPDATE contacts SET phone_at = $2, user_id_at = $3 WHERE id = $1',
};

/**
 * Sets the name only if the contact has none.
 * @returns Null if nothing changed
 */
export async function setIds(
  client: pg.PoolClient,
  contactId: string,
  ids: IdentityPlan['ids'] & { username: string | null },
  { name, at }: { name: string; at: Date },
): Promise<ContactRow | null> {
  const { phone, phoneAt, userId, userIdAt, parentUserId, username } = ids;
  const values = [contactId, phone, phoneAt, userId, userIdAt, parentUserId, username, name, at];
  const { rows } = await client.query<ContactRow>({ ...SET_IDS, values });
  if (!rows[0]) await client.query({ ...KEEP_TIMES, values: [contactId, phoneAt, userIdAt] });
  return rows[0] ?? null;
}

const ADD_IDS: Statement = {
  name: 'identities-add',
  text: `WITH known AS (
           DELETE FROM contact_identities WHERE channel_id = $1 AND portfolio = '' AND user_id = ANY($3::text[])
             AND ${portfolioSql('$1')} <> ''
         )
         INSERT INTO contact_identities AS i (channel_id, portfolio, user_id, is_parent, contact_id, since)
         SELECT $1, ${portfolioSql('$1')}, input.user_id, input.is_parent, $2, $5
         FROM unnest($3::text[], $4::boolean[]) AS input(user_id, is_parent)
         ON CONFLICT (channel_id, portfolio, user_id) DO UPDATE SET contact_id = EXCLUDED.contact_id, since = EXCLUDED.since
           WHERE i.contact_id <> EXCLUDED.contact_id`,
};

export async function addIds(
  client: pg.PoolClient,
  { channelId, contactId }: { channelId: string; contactId: string },
  { userIds, parentIds }: { userIds: readonly string[]; parentIds: readonly string[] },
  at: Date,
): Promise<void> {
  if (userIds.length + parentIds.length === 0) return;
  const isParent = [...userIds.map(() => false), ...parentIds.map(() => true)];
  await client.query({ ...ADD_IDS, values: [channelId, contactId, [...userIds, ...parentIds], isParent, at] });
}

/** Uses only index lookups, and omits pairs of two unknown IDs. */
const FIND_UNLINKED: Statement = {
  name: 'identities-unlinked',
  text: `
SELECT (r.n - 1)::int AS index FROM unnest($1::uuid[], $2::text[], $3::text[]) WITH ORDINALITY AS r(channel_id, phone, user_id, n)
LEFT JOIN LATERAL (SELECT contact_id FROM contact_identities
  WHERE channel_id = r.channel_id AND ${inPortfolioSql('r.channel_id')} AND user_id = r.user_id LIMIT 1) i ON true
WHERE ${contactIdSql('r.channel_id', 'r.phone')} IS DISTINCT FROM i.contact_id`,
};

/** Returns the indexes of pairs whose number and user ID do not belong to the same contact. */
export async function findUnlinked(
  pool: pg.Pool,
  pairs: readonly { channelId: string; phone: string; userId: string }[],
): Promise<number[]> {
  const values = [
    pairs.map((pair) => pair.channelId),
    pairs.map((pair) => pair.phone),
    pairs.map((pair) => pair.userId),
  ];
  const { rows } = await pool.query<{ index: number }>({ ...FIND_UNLINKED, values });
  return rows.map(({ index }) => index);
}
