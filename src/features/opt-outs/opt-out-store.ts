import type pg from 'pg';
import type { OptOutSender } from '../../messages/send/checks/opted-out.js';
import type { Statement } from '../../platform/store/connections/pool.js';
import type { Connection } from '../../platform/store/with-transaction.js';
import { addFurtherNumbers } from './further-numbers-store.js';
import type { OptOutMeaning } from './keywords.js';
import { joinConsents } from './ledger/ledger-store.js';

const FIND_WORD: Statement = {
  name: 'opt-outs-find-word',
  text: `SELECT meaning FROM opt_out_words WHERE account_id = $1 AND replace(word, ' ', '') = replace($2, ' ', '')
         ORDER BY word <> $2 LIMIT 1`,
};

/** Finds the account's own meaning of a word from `toKeyword`, ignoring spaces within the word. */
export async function findAccountMeaning(
  client: Connection,
  accountId: string,
  word: string,
): Promise<OptOutMeaning | null> {
  const { rows } = await client.query<{ meaning: OptOutMeaning }>({ ...FIND_WORD, values: [accountId, word] });
  return rows[0]?.meaning ?? null;
}

export interface OptOutDecision {
  accountId: string;
  kind: OptOutSender['kind'];
  /** As returned by `toOptOutSender`. */
  sender: string;
  addresses: readonly string[];
  /** Null if the person wrote no keyword. */
  keyword: string | null;
  /** True for a STOP. */
  isActive: boolean;
  /** Whether a STOP blocks marketing only. Default: the account's choice. */
  marketingOnly?: boolean;
  decidedAt: Date;
}

/** Truncates the time to whole seconds if the new decision is a STOP whose time has only whole seconds. */
const comparableTimeSql = (column: string) =>
  `CASE WHEN $6 AND $7 = date_trunc('second', $7) THEN date_trunc('second', ${column}) ELSE ${column} END`;

/**
 * The decision with the latest time counts, because messages may arrive out of order. A STOP from the same second as a
 * START also counts, because carriers may report only whole seconds. A STOP that blocks marketing only leaves an opt-out from
 * all messages as it is.
 */
const DECIDE: Statement = {
  name: 'opt-outs-decide',
  text: `WITH before AS (
           SELECT phone, is_active, marketing_only FROM opt_outs
           WHERE account_id = $1 AND kind = $2::channel_kind AND sender = $3 AND phone = ANY($4::text[])
         ), scope AS (
           SELECT $6::boolean AND coalesce($8::boolean, (SELECT stops_marketing_only FROM accounts WHERE id = $1), false) AS marketing_only
         ), decided AS (
           INSERT INTO opt_outs AS existing (account_id, kind, sender, phone, keyword, is_active, decided_at, marketing_only)
           SELECT $1, $2::channel_kind, $3, address, $5, $6::boolean, $7::timestamptz, scope.marketing_only
           FROM scope CROSS JOIN unnest($4::text[]) AS addresses(address)
           WHERE NOT EXISTS (SELECT FROM opt_outs o WHERE o.account_id = $1 AND o.kind = $2::channel_kind AND o.sender = $3
                               AND o.phone = ANY($4::text[]) AND ${comparableTimeSql('o.decided_at')} > $7)
           ORDER BY address
           ON CONFLICT (account_id, kind, sender, phone) DO UPDATE
             SET keyword = EXCLUDED.keyword, is_active = EXCLUDED.is_active, decided_at = EXCLUDED.decided_at,
               marketing_only = EXCLUDED.marketing_only AND (existing.marketing_only OR NOT existing.is_active)
             WHERE ${comparableTimeSql('existing.decided_at')} <= EXCLUDED.decided_at
           RETURNING phone
         )
         SELECT d.is_newest OR $6 = d.was_active AS "isInEffect", d.is_newest AND $6 <> d.was_active AS "hasChanged",
           d.marketing_only AS "marketingOnly"
         FROM (SELECT EXISTS (SELECT FROM decided) AS is_newest,
                      EXISTS (SELECT FROM before WHERE is_active AND (NOT $6 OR NOT before.marketing_only OR scope.marketing_only)) AS was_active,
                      scope.marketing_only
               FROM scope) AS d`,
};

export interface DecisionResult {
  /** False if a later decision to the contrary is stored. */
  isInEffect: boolean;
  /** Whether the person had opted out and no longer has, or the reverse, or had opted out of marketing only. */
  hasChanged: boolean;
  marketingOnly: boolean;
}

export async function decideOptOut(client: pg.PoolClient, decision: OptOutDecision): Promise<DecisionResult> {
  const { accountId, kind, sender, keyword, isActive, decidedAt } = decision;
  // For WhatsApp, `sender` contains the channel's ID.
  const isChannel = kind === 'whatsapp';
  const addresses = isChannel ? await addFurtherNumbers(client, sender, decision.addresses) : decision.addresses;
  const { rows } = await client.query<DecisionResult>({
    ...DECIDE,
    values: [accountId, kind, sender, addresses, keyword, isActive, decidedAt.toISOString(), decision.marketingOnly],
  });
  return rows[0] as DecisionResult;
}

const LIMIT_TO_MARKETING: Statement = {
  name: 'opt-outs-limit',
  text: `UPDATE opt_outs SET keyword = NULL, marketing_only = true, decided_at = $5
         WHERE account_id = $1 AND kind = $2::channel_kind AND sender = $3 AND phone = ANY($4::text[])
           AND is_active AND NOT marketing_only AND decided_at <= $5`,
};

/** Makes opt-outs from all messages block marketing only. Returns whether one changed. */
export async function limitOptOuts(
  client: pg.PoolClient,
  { accountId, kind, sender, addresses, decidedAt }: Omit<OptOutDecision, 'keyword' | 'isActive' | 'marketingOnly'>,
): Promise<boolean> {
  const all = kind === 'whatsapp' ? await addFurtherNumbers(client, sender, addresses) : addresses;
  const values = [accountId, kind, sender, all, decidedAt.toISOString()];
  const { rowCount } = await client.query({ ...LIMIT_TO_MARKETING, values });
  return rowCount !== 0;
}

/** SQL for the opt-out sender of a channel `ch`, which must match `toOptOutSender`. */
const CHANNEL_SENDER = "CASE ch.kind WHEN 'sms' THEN opt_out_sender(ch.phone_number) ELSE ch.id::text END";
const BELONGS_TO_CHANNEL = `o.account_id = ch.account_id AND o.kind = ch.kind AND o.sender = ${CHANNEL_SENDER}`;

/** SQL that is true if one of the addresses, which are SQL expressions, has opted out of the channel's messages. */
export function isOptedOutSql(channelId: string, addresses: readonly string[]): string {
  return `EXISTS (SELECT FROM channels ch JOIN opt_outs o ON ${BELONGS_TO_CHANNEL}
    WHERE ch.id = ${channelId} AND o.phone IN (${addresses.join(', ')}) AND o.is_active)`;
}

const FIND_OPTED_OUT: Statement = {
  name: 'opt-outs-find-among',
  text: `SELECT o.phone FROM channels ch JOIN opt_outs o ON ${BELONGS_TO_CHANNEL}
         WHERE ch.id = $1 AND o.phone = ANY($2::text[]) AND o.is_active`,
};

export async function findOptedOut(
  connection: pg.Pool | pg.PoolClient,
  channelId: string,
  addresses: readonly string[],
): Promise<string[]> {
  const { rows } = await connection.query<{ phone: string }>({ ...FIND_OPTED_OUT, values: [channelId, addresses] });
  return rows.map(({ phone }) => phone);
}

/**
 * The strictest active opt-out of an address is copied to the contact's other addresses, even if another address has a newer
 * START.
 */
const JOIN_OPT_OUTS: Statement = {
  name: 'opt-outs-join',
  text: `WITH strictest AS (
           SELECT o.account_id, o.kind, o.sender, o.keyword, o.decided_at, o.marketing_only
           FROM channels ch JOIN opt_outs o ON ${BELONGS_TO_CHANNEL}
           WHERE ch.id = $1 AND o.phone = ANY($2::text[]) AND o.is_active ORDER BY o.marketing_only, o.decided_at DESC LIMIT 1
         )
         INSERT INTO opt_outs AS existing (account_id, kind, sender, phone, keyword, decided_at, marketing_only)
         SELECT s.account_id, s.kind, s.sender, address, s.keyword, s.decided_at, s.marketing_only
         FROM strictest s CROSS JOIN unnest($2::text[]) AS addresses(address) ORDER BY address
         ON CONFLICT (account_id, kind, sender, phone) DO UPDATE
           SET keyword = EXCLUDED.keyword, is_active = true, marketing_only = EXCLUDED.marketing_only,
             decided_at = greatest(existing.decided_at, EXCLUDED.decided_at)
           WHERE NOT existing.is_active OR (existing.marketing_only AND NOT EXCLUDED.marketing_only)`,
};

/** Also joins the entries of the consent ledger. Only contacts of WhatsApp channels have several addresses. */
export async function joinOptOuts(client: pg.PoolClient, channelId: string, known: readonly string[]): Promise<void> {
  const addresses = await addFurtherNumbers(client, channelId, known);
  if (addresses.length < 2) return;
  await client.query({ ...JOIN_OPT_OUTS, values: [channelId, addresses] });
  await joinConsents(client, channelId, addresses);
}

export interface ChannelDecision {
  channelId: string;
  addresses: readonly string[];
  at: Date;
}

const SET_OPT_OUTS: Statement = {
  name: 'opt-outs-set',
  text: `INSERT INTO opt_outs AS existing (account_id, kind, sender, phone, decided_at)
         SELECT ch.account_id, ch.kind, ${CHANNEL_SENDER}, address, $3
         FROM channels ch CROSS JOIN unnest($2::text[]) AS addresses(address) WHERE ch.id = $1 ORDER BY address
         ON CONFLICT (account_id, kind, sender, phone) DO UPDATE
           SET keyword = NULL, is_active = true, decided_at = EXCLUDED.decided_at, marketing_only = false
           WHERE NOT existing.is_active OR existing.marketing_only`,
};

/** Inserts no rows, because sending can skip the opt-out check while the table is empty. */
const LIFT_OPT_OUTS: Statement = {
  name: 'opt-outs-lift',
  text: `UPDATE opt_outs o SET keyword = NULL, is_active = false, decided_at = $3
         FROM channels ch WHERE ch.id = $1 AND ${BELONGS_TO_CHANNEL} AND o.phone = ANY($2::text[]) AND o.is_active`,
};

/** @returns whether an opt-out changed */
export async function setOptedOut(
  client: pg.PoolClient,
  optedOut: boolean,
  { channelId, addresses, at }: ChannelDecision,
): Promise<boolean> {
  const values = [channelId, await addFurtherNumbers(client, channelId, addresses), at.toISOString()];
  const { rowCount } = await client.query({ ...(optedOut ? SET_OPT_OUTS : LIFT_OPT_OUTS), values });
  return rowCount !== 0;
}

/** Unique within an account. */
export interface OptOutKey {
  kind: OptOutSender['kind'];
  sender: string;
  /** The recipient's number or WhatsApp user ID. */
  phone: string;
}

export interface OptOutEntry extends OptOutKey {
  /** For WhatsApp, the channel's number, unless the channel was deleted. */
  senderName: string;
  /** Keyword that the person wrote; null if an operator entered the opt-out. */
  keyword: string | null;
  /** If true, other messages than marketing are still sent. */
  marketingOnly: boolean;
  decidedAt: Date;
}

const LIST_PAGE: Statement = {
  name: 'opt-outs-page',
  text: `SELECT o.kind, o.sender, o.phone, o.keyword, o.decided_at AS "decidedAt",
           o.marketing_only AS "marketingOnly", coalesce(ch.phone_number, o.sender) AS "senderName"
         FROM opt_outs o LEFT JOIN channels ch ON o.kind = 'whatsapp' AND ch.account_id = o.account_id AND ch.id::text = o.sender
         WHERE o.account_id = $1 AND o.is_active AND (o.kind, o.sender, o.phone) > ($2::channel_kind, $3, $4)
           AND o.phone LIKE $5
         ORDER BY o.kind, o.sender, o.phone LIMIT $6`,
};

/** Reads opt-outs whose address matches the LIKE pattern, ordered by kind, sender and address. */
export async function readOptOutsAfter(
  pool: pg.Pool,
  accountId: string,
  { after, pattern, limit }: { after: OptOutKey | null; pattern: string; limit: number },
): Promise<OptOutEntry[]> {
  const { kind, sender, phone } = after ?? { kind: 'sms', sender: '', phone: '' };
  const values = [accountId, kind, sender, phone, pattern, limit];
  const { rows } = await pool.query<OptOutEntry>({ ...LIST_PAGE, values });
  return rows;
}
