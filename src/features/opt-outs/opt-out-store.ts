import type pg from 'pg';
import type { OptOutSender } from '../../messages/send/checks/opted-out.js';
import type { Statement } from '../../platform/store/connections/pool.js';
import { addFurtherNumbers } from './further-numbers-store.js';
import type { OptOutMeaning } from './keywords.js';

const FIND_WORD: Statement = {
  name: 'opt-outs-find-word',
  text: `SELECT meaning FROM opt_out_words WHERE account_id = $1 AND replace(word, ' ', '') = replace($2, ' ', '')
         ORDER BY word <> $2 LIMIT 1`,
};

/** What an account has a word mean, in the form of `toKeyword`, spaces aside; null when the word is none of its own. */
export async function findOwnMeaning(
  client: pg.PoolClient,
  accountId: string,
  word: string,
): Promise<OptOutMeaning | null> {
  const { rows } = await client.query<{ meaning: OptOutMeaning }>({ ...FIND_WORD, values: [accountId, word] });
  return rows[0]?.meaning ?? null;
}

/** What a contact has decided about a sender. */
export interface OptOutDecision {
  accountId: string;
  kind: OptOutSender['kind'];
  /** As `senderOf` tells it. */
  sender: string;
  /** All that messages to the contact may be addressed to. */
  addresses: readonly string[];
  /** The word that the contact wrote. */
  keyword: string;
  /** Whether the sender is blocked from now on; false takes an earlier block back. */
  isActive: boolean;
  /** When the contact wrote it. */
  decidedAt: Date;
}

/** When a known decision was made, as a new one sees it that may have been told in whole seconds. */
const knownAt = (known: string) =>
  `CASE WHEN $6 AND $7 = date_trunc('second', $7) THEN date_trunc('second', ${known}) ELSE ${known} END`;

/**
 * Carriers do not keep the order of messages: the one that was written last counts, in whatever order they arrive. Of two
 * of the same time, which a carrier may tell in whole seconds, it is the one that arrives last. A STOP of the second in which
 * a block was lifted to the millisecond may be older than that, or newer: it counts.
 */
const DECIDE: Statement = {
  name: 'opt-outs-decide',
  text: `INSERT INTO opt_outs AS known (account_id, kind, sender, phone, keyword, is_active, decided_at)
         SELECT $1, $2::channel_kind, $3, address, $5, $6::boolean, $7::timestamptz FROM unnest($4::text[]) AS given(address)
         WHERE NOT EXISTS (SELECT FROM opt_outs o WHERE o.account_id = $1 AND o.kind = $2::channel_kind AND o.sender = $3
                             AND o.phone = ANY($4::text[]) AND ${knownAt('o.decided_at')} > $7)
         ORDER BY address
         ON CONFLICT (account_id, kind, sender, phone) DO UPDATE
           SET keyword = EXCLUDED.keyword, is_active = EXCLUDED.is_active, decided_at = EXCLUDED.decided_at
           WHERE ${knownAt('known.decided_at')} <= EXCLUDED.decided_at`,
};

/** Keeps what a contact has decided, unless a later decision is known. */
export async function decideOptOut(client: pg.PoolClient, decision: OptOutDecision): Promise<void> {
  const { accountId, kind, sender, keyword, isActive, decidedAt } = decision;
  // Of WhatsApp the sender is a channel.
  const isChannel = kind === 'whatsapp';
  const addresses = isChannel ? await addFurtherNumbers(client, sender, decision.addresses) : decision.addresses;
  await client.query({
    ...DECIDE,
    values: [accountId, kind, sender, addresses, keyword, isActive, decidedAt.toISOString()],
  });
}

/** A channel `ch` as `opt_outs` names it; `senderOf` is its twin. */
const OWN_SENDER = "CASE ch.kind WHEN 'sms' THEN opt_out_sender(ch.phone_number) ELSE ch.id::text END";
const OF_CHANNEL = `o.account_id = ch.account_id AND o.kind = ch.kind AND o.sender = ${OWN_SENDER}`;

const FIND_AMONG: Statement = {
  name: 'opt-outs-find-among',
  text: `SELECT o.phone FROM channels ch JOIN opt_outs o ON ${OF_CHANNEL}
         WHERE ch.id = $1 AND o.phone = ANY($2::text[]) AND o.is_active`,
};

/** Those of some addresses that a channel is blocked for. */
export async function findOptedOut(
  connection: pg.Pool | pg.PoolClient,
  channelId: string,
  addresses: readonly string[],
): Promise<string[]> {
  const { rows } = await connection.query<{ phone: string }>({ ...FIND_AMONG, values: [channelId, addresses] });
  return rows.map(({ phone }) => phone);
}

/** The strictest of what is known of the addresses is what counts for all of them; a START that is newer than all lifts it. */
const JOIN: Statement = {
  name: 'opt-outs-join',
  text: `WITH strictest AS (
           SELECT o.account_id, o.kind, o.sender, o.keyword, o.decided_at
           FROM channels ch JOIN opt_outs o ON ${OF_CHANNEL}
           WHERE ch.id = $1 AND o.phone = ANY($2::text[]) AND o.is_active ORDER BY o.decided_at DESC LIMIT 1
         )
         INSERT INTO opt_outs AS known (account_id, kind, sender, phone, keyword, decided_at)
         SELECT s.account_id, s.kind, s.sender, address, s.keyword, s.decided_at
         FROM strictest s CROSS JOIN unnest($2::text[]) AS given(address) ORDER BY address
         ON CONFLICT (account_id, kind, sender, phone) DO UPDATE
           SET keyword = EXCLUDED.keyword, is_active = true,
             decided_at = greatest(known.decided_at, EXCLUDED.decided_at)
           WHERE NOT known.is_active`,
};

/** Blocks all addresses of a contact for a channel where one of them is blocked. */
export async function joinOptOuts(client: pg.PoolClient, channelId: string, given: readonly string[]): Promise<void> {
  const addresses = await addFurtherNumbers(client, channelId, given);
  if (addresses.length > 1) await client.query({ ...JOIN, values: [channelId, addresses] });
}

/** What is decided for a contact, without a word of its own. */
export interface ChannelDecision {
  channelId: string;
  /** All that messages to it may be addressed to. */
  addresses: readonly string[];
  at: Date;
}

const SET: Statement = {
  name: 'opt-outs-set',
  text: `INSERT INTO opt_outs AS known (account_id, kind, sender, phone, decided_at)
         SELECT ch.account_id, ch.kind, ${OWN_SENDER}, address, $3
         FROM channels ch CROSS JOIN unnest($2::text[]) AS given(address) WHERE ch.id = $1 ORDER BY address
         ON CONFLICT (account_id, kind, sender, phone) DO UPDATE
           SET keyword = NULL, is_active = true, decided_at = EXCLUDED.decided_at WHERE NOT known.is_active`,
};

/** Makes no row where there is none: while none at all is there, sending asks for none. */
const LIFT: Statement = {
  name: 'opt-outs-lift',
  text: `UPDATE opt_outs o SET keyword = NULL, is_active = false, decided_at = $3
         FROM channels ch WHERE ch.id = $1 AND ${OF_CHANNEL} AND o.phone = ANY($2::text[]) AND o.is_active`,
};

/** Blocks a contact for a channel, or lets the channel write to it again. Returns whether that changed anything. */
export async function setOptedOut(
  client: pg.PoolClient,
  optedOut: boolean,
  { channelId, addresses, at }: ChannelDecision,
): Promise<boolean> {
  const values = [channelId, await addFurtherNumbers(client, channelId, addresses), at.toISOString()];
  const { rowCount } = await client.query({ ...(optedOut ? SET : LIFT), values });
  return rowCount !== 0;
}

/** An entry of `opt_outs` that blocks, by its key. */
export interface OptOutKey {
  kind: OptOutSender['kind'];
  sender: string;
  /** A number, or a user id of WhatsApp. */
  phone: string;
}

export interface OptOutEntry extends OptOutKey {
  /** Of WhatsApp the number of the channel, where it is still there. */
  senderName: string;
  /** The word that the contact wrote; null where somebody entered it. */
  keyword: string | null;
  decidedAt: Date;
}

const PAGE: Statement = {
  name: 'opt-outs-page',
  text: `SELECT o.kind, o.sender, o.phone, o.keyword, o.decided_at AS "decidedAt",
           coalesce(ch.phone_number, o.sender) AS "senderName"
         FROM opt_outs o LEFT JOIN channels ch ON o.kind = 'whatsapp' AND ch.account_id = o.account_id AND ch.id::text = o.sender
         WHERE o.account_id = $1 AND o.is_active AND (o.kind, o.sender, o.phone) > ($2::channel_kind, $3, $4)
           AND o.phone LIKE $5
         ORDER BY o.kind, o.sender, o.phone LIMIT $6`,
};

/**
 * Opt-outs of an account behind a key, by kind, sender and address; those whose address is like a pattern of SQL. Without a
 * key, the first ones.
 */
export async function readOptOutsAfter(
  pool: pg.Pool,
  accountId: string,
  { after, pattern, limit }: { after: OptOutKey | null; pattern: string; limit: number },
): Promise<OptOutEntry[]> {
  const { kind, sender, phone } = after ?? { kind: 'sms', sender: '', phone: '' };
  const values = [accountId, kind, sender, phone, pattern, limit];
  const { rows } = await pool.query<OptOutEntry>({ ...PAGE, values });
  return rows;
}
