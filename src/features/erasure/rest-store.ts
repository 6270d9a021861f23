import type pg from 'pg';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';
import type { Person } from './person.js';

/** A row by its table and its place in it; good within the command, for who erases meets it nowhere else. */
export interface Keyed {
  table:
    | 'verifications'
    | 'verification_recipients'
    | 'spend_counts'
    | 'campaign_member_variables'
    | 'inbound_parts'
    | 'carrier_callbacks'
    | 'carrier_calls'
    | 'opt_outs';
  /** The key, as one JSON object by column. */
  key: Record<string, string | number>;
}

async function keysOf(
  pool: pg.Pool,
  table: Keyed['table'],
  statement: PlannedStatement,
  values: readonly unknown[],
): Promise<Keyed[]> {
  const { rows } = await pool.query<{ key: Keyed['key'] }>({ ...statement, values: [...values] });
  return rows.map(({ key }) => ({ table, key }));
}

const CAMPAIGN_VALUES: PlannedStatement = {
  text: `SELECT json_build_object('campaign_id', v.campaign_id, 'phone', v.phone) AS key
         FROM campaigns c JOIN campaign_member_variables v ON v.campaign_id = c.id AND v.phone = ANY($2::text[])
         WHERE c.channel_id = ANY($1::uuid[])`,
};

export function findCampaignValues(pool: pg.Pool, { channelIds, phone, contactIds }: Person): Promise<Keyed[]> {
  return keysOf(pool, 'campaign_member_variables', CAMPAIGN_VALUES, [channelIds, [phone, ...contactIds]]);
}

/** A carrier may write the number with a plus sign. */
const PARTS: PlannedStatement = {
  text: `SELECT json_build_object('carrier', p.carrier, 'sender', p.sender, 'recipient', p.recipient,
           'reference', p.reference, 'total', p.total, 'part', p.part) AS key
         FROM inbound_parts p
         WHERE ltrim(p.sender, '+') = $2 AND (p.carrier, ltrim(p.recipient, '+')) IN (
           SELECT carrier, phone_number FROM channels WHERE id = ANY($1::uuid[]))`,
};

export function findParts(pool: pg.Pool, { channelIds, phone }: Person): Promise<Keyed[]> {
  return keysOf(pool, 'inbound_parts', PARTS, [channelIds, phone]);
}

const CALLBACKS: PlannedStatement = {
  text: `SELECT json_build_object('id', id::text) AS key FROM carrier_callbacks
         WHERE set_aside_at IS NOT NULL AND position(convert_to($1, 'UTF8') in body) > 0`,
};

export function findCallbacks(pool: pg.Pool, { phone }: Person): Promise<Keyed[]> {
  return keysOf(pool, 'carrier_callbacks', CALLBACKS, [phone]);
}

/** Those of no message of the person: what a carrier was asked otherwise. */
const CALLS: PlannedStatement = {
  text: `SELECT json_build_object('id', id::text) AS key FROM carrier_calls
         WHERE position($1 in concat(url, ' ', request, ' ', answer)) > 0`,
};

export function findCalls(pool: pg.Pool, { phone }: Person): Promise<Keyed[]> {
  return keysOf(pool, 'carrier_calls', CALLS, [phone]);
}

const VERIFICATIONS: PlannedStatement = {
  text: `SELECT json_build_object('id', id) AS key FROM verifications WHERE account_id = ANY($1::uuid[]) AND recipient = $2`,
};

/** Sign-in codes of a number: counts by country are made of the rest of their rows, so that they stay. */
export function findVerifications(pool: pg.Pool, { accountIds, phone }: Person): Promise<Keyed[]> {
  return keysOf(pool, 'verifications', VERIFICATIONS, [accountIds, phone]);
}

const ASKED: PlannedStatement = {
  text: `SELECT json_build_object('account_id', account_id, 'recipient', recipient) AS key FROM verification_recipients
         WHERE account_id = ANY($1::uuid[]) AND recipient = $2`,
};

/** How often a number was sent codes in the last minutes. */
export function findAsked(pool: pg.Pool, { accountIds, phone }: Person): Promise<Keyed[]> {
  return keysOf(pool, 'verification_recipients', ASKED, [accountIds, phone]);
}

const SPENT: PlannedStatement = {
  text: `SELECT json_build_object('account_id', account_id, 'scope', scope, 'subject', subject, 'span', span,
           'ends_at', ends_at, 'key_id', key_id) AS key FROM spend_counts
         WHERE account_id = ANY($1::uuid[]) AND scope = 'recipient' AND subject = $2`,
};

/** How much a number was sent lately, where its messages are limited. */
export function findSpent(pool: pg.Pool, { accountIds, phone }: Person): Promise<Keyed[]> {
  return keysOf(pool, 'spend_counts', SPENT, [accountIds, phone]);
}

const OPT_OUTS: PlannedStatement = {
  text: `SELECT json_build_object('account_id', account_id, 'kind', kind, 'sender', sender, 'phone', phone) AS key
         FROM opt_outs WHERE account_id = ANY($1::uuid[]) AND phone = $2
           AND ($3 OR NOT is_active OR keyword IS NOT NULL)`,
};

/** What is to be changed of the opt-outs of a number. */
export function findOptOuts(pool: pg.Pool, { accountIds, phone, forgetsOptOuts }: Person): Promise<Keyed[]> {
  return keysOf(pool, 'opt_outs', OPT_OUTS, [accountIds, phone, forgetsOptOuts]);
}

const KEPT: PlannedStatement = {
  text: 'SELECT count(*)::int AS count FROM opt_outs WHERE account_id = ANY($1::uuid[]) AND phone = $2 AND is_active',
};

/** How many opt-outs of a number bind. */
export async function countOptOuts(pool: pg.Pool, { accountIds, phone }: Person): Promise<number> {
  const { rows } = await pool.query<{ count: number }>({ ...KEPT, values: [accountIds, phone] });
  return rows[0]?.count ?? 0;
}

/** The rows that are told as JSON, by the columns of the table's key. */
const told = (table: Keyed['table'], ...columns: string[]) =>
  `jsonb_populate_recordset(NULL::${table}, $1::jsonb) k
   WHERE ${columns.map((column) => `t.${column} = k.${column}`).join(' AND ')}`;

const OPT_OUTS_TOLD = told('opt_outs', 'account_id', 'kind', 'sender', 'phone');

const DELETIONS: Record<Keyed['table'], PlannedStatement> = {
  verifications: {
    text: `UPDATE verifications t SET recipient = t.calling_code, code_hash = NULL, sealed_code = NULL
           FROM ${told('verifications', 'id')}`,
  },
  verification_recipients: {
    text: `DELETE FROM verification_recipients t USING ${told('verification_recipients', 'account_id', 'recipient')}`,
  },
  spend_counts: {
    text: `DELETE FROM spend_counts t
           USING ${told('spend_counts', 'account_id', 'scope', 'subject', 'span', 'ends_at', 'key_id')}`,
  },
  campaign_member_variables: {
    text: `DELETE FROM campaign_member_variables t USING ${told('campaign_member_variables', 'campaign_id', 'phone')}`,
  },
  inbound_parts: {
    text: `DELETE FROM inbound_parts t
           USING ${told('inbound_parts', 'carrier', 'sender', 'recipient', 'reference', 'total', 'part')}`,
  },
  carrier_callbacks: { text: `DELETE FROM carrier_callbacks t USING ${told('carrier_callbacks', 'id')}` },
  carrier_calls: { text: `DELETE FROM carrier_calls t USING ${told('carrier_calls', 'id')}` },
  opt_outs: { text: `DELETE FROM opt_outs t USING ${OPT_OUTS_TOLD}` },
};

/** Deletes rows of one table. */
export async function deleteKeyed(client: pg.PoolClient, rows: readonly Keyed[]): Promise<void> {
  const [first] = rows;
  if (!first) return;
  await client.query({ ...DELETIONS[first.table], values: [JSON.stringify(rows.map(({ key }) => key))] });
}

const DELETE_PAST_OPT_OUTS: PlannedStatement = {
  text: `DELETE FROM opt_outs t USING ${OPT_OUTS_TOLD} AND NOT t.is_active`,
};

const FORGET_WORDS: PlannedStatement = { text: `UPDATE opt_outs t SET keyword = NULL FROM ${OPT_OUTS_TOLD}` };

/** Deletes opt-outs, or those alone that do not bind any more, and the words of the others. */
export async function forgetOptOuts(client: pg.PoolClient, rows: readonly Keyed[], all: boolean): Promise<void> {
  const values = [JSON.stringify(rows.map(({ key }) => key))];
  await client.query({ ...(all ? DELETIONS.opt_outs : DELETE_PAST_OPT_OUTS), values });
  await client.query({ ...FORGET_WORDS, values });
}
