import type pg from 'pg';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';
import type { Person } from './person.js';

export interface RowKey {
  table:
    | 'verifications'
    | 'verification_recipients'
    | 'spend_counts'
    | 'campaign_member_variables'
    | 'inbound_parts'
    | 'carrier_callbacks'
    | 'carrier_calls'
    | 'opt_outs'
    | 'consents'
    | 'consent_requests';
  /** Values by column name. */
  key: Record<string, string | number>;
}

async function findKeys(
  pool: pg.Pool,
  table: RowKey['table'],
  statement: PlannedStatement,
  values: readonly unknown[],
): Promise<RowKey[]> {
  const { rows } = await pool.query<{ key: RowKey['key'] }>({ ...statement, values: [...values] });
  return rows.map(({ key }) => ({ table, key }));
}

const FIND_CAMPAIGN_VARIABLES: PlannedStatement = {
  text: `SELECT json_build_object('campaign_id', v.campaign_id, 'phone', v.phone) AS key
         FROM campaigns c JOIN campaign_member_variables v ON v.campaign_id = c.id AND v.phone = ANY($2::text[])
         WHERE c.channel_id = ANY($1::uuid[])`,
};

export function findCampaignVariables(pool: pg.Pool, { channelIds, address, contactIds }: Person): Promise<RowKey[]> {
  return findKeys(pool, 'campaign_member_variables', FIND_CAMPAIGN_VARIABLES, [channelIds, [address, ...contactIds]]);
}

const FIND_PARTS: PlannedStatement = {
  text: `SELECT json_build_object('carrier', p.carrier, 'sender', p.sender, 'recipient', p.recipient,
           'reference', p.reference, 'total', p.total, 'part', p.part) AS key
         FROM inbound_parts p
         WHERE ltrim(p.sender, '+') = $2 AND (p.carrier, ltrim(p.recipient, '+')) IN (
           SELECT carrier, phone_number FROM channels WHERE id = ANY($1::uuid[]))`,
};

export function findInboundParts(pool: pg.Pool, { channelIds, address }: Person): Promise<RowKey[]> {
  return findKeys(pool, 'inbound_parts', FIND_PARTS, [channelIds, address]);
}

const FIND_UNPROCESSED_REPORTS: PlannedStatement = {
  text: `SELECT json_build_object('id', id::text) AS key FROM carrier_callbacks
         WHERE set_aside_at IS NOT NULL AND position(convert_to($1, 'UTF8') in body) > 0`,
};

export function findUnprocessedReports(pool: pg.Pool, { address }: Person): Promise<RowKey[]> {
  return findKeys(pool, 'carrier_callbacks', FIND_UNPROCESSED_REPORTS, [address]);
}

const FIND_CALLS: PlannedStatement = {
  text: `SELECT json_build_object('id', id::text) AS key FROM carrier_calls
         WHERE position($1 in concat(url, ' ', request, ' ', answer)) > 0`,
};

export function findCarrierCalls(pool: pg.Pool, { address }: Person): Promise<RowKey[]> {
  return findKeys(pool, 'carrier_calls', FIND_CALLS, [address]);
}

const FIND_VERIFICATIONS: PlannedStatement = {
  text: `SELECT json_build_object('id', id) AS key FROM verifications WHERE account_id = ANY($1::uuid[]) AND recipient = $2`,
};

/** Rows of sign-in codes are kept without the number, because codes are counted by country. */
export function findSignInCodes(pool: pg.Pool, { accountIds, address }: Person): Promise<RowKey[]> {
  return findKeys(pool, 'verifications', FIND_VERIFICATIONS, [accountIds, address]);
}

const FIND_CODE_LIMITS: PlannedStatement = {
  text: `SELECT json_build_object('account_id', account_id, 'recipient', recipient) AS key FROM verification_recipients
         WHERE account_id = ANY($1::uuid[]) AND recipient = $2`,
};

export function findCodeLimits(pool: pg.Pool, { accountIds, address }: Person): Promise<RowKey[]> {
  return findKeys(pool, 'verification_recipients', FIND_CODE_LIMITS, [accountIds, address]);
}

const FIND_SPENDING_LIMITS: PlannedStatement = {
  text: `SELECT json_build_object('account_id', account_id, 'scope', scope, 'subject', subject, 'span', span,
           'ends_at', ends_at, 'key_id', key_id) AS key FROM spend_counts
         WHERE account_id = ANY($1::uuid[]) AND scope = 'recipient' AND subject = $2`,
};

export function findSpendingLimits(pool: pg.Pool, { accountIds, address }: Person): Promise<RowKey[]> {
  return findKeys(pool, 'spend_counts', FIND_SPENDING_LIMITS, [accountIds, address]);
}

const FIND_OPT_OUTS: PlannedStatement = {
  text: `SELECT json_build_object('account_id', account_id, 'kind', kind, 'sender', sender, 'phone', phone) AS key
         FROM opt_outs WHERE account_id = ANY($1::uuid[]) AND phone = $2
           AND ($3 OR NOT is_active OR keyword IS NOT NULL)`,
};

export function findOptOuts(pool: pg.Pool, { accountIds, address, forgetsOptOuts }: Person): Promise<RowKey[]> {
  return findKeys(pool, 'opt_outs', FIND_OPT_OUTS, [accountIds, address, forgetsOptOuts]);
}

const FIND_CONSENTS: PlannedStatement = {
  text: `SELECT json_build_object('id', id, 'phone', phone) AS key FROM consents
         WHERE account_id = ANY($1::uuid[]) AND phone = $2
           AND ($3 OR num_nonnulls(name, wording, wording_version, ip, url) > 0)`,
};

export function findConsents(pool: pg.Pool, { accountIds, address, forgetsOptOuts }: Person): Promise<RowKey[]> {
  return findKeys(pool, 'consents', FIND_CONSENTS, [accountIds, address, forgetsOptOuts]);
}

const FIND_CONSENT_REQUESTS: PlannedStatement = {
  text: `SELECT json_build_object('id', id) AS key FROM consent_requests WHERE account_id = ANY($1::uuid[]) AND phone = $2`,
};

export function findConsentRequests(pool: pg.Pool, { accountIds, address }: Person): Promise<RowKey[]> {
  return findKeys(pool, 'consent_requests', FIND_CONSENT_REQUESTS, [accountIds, address]);
}

const COUNT_ACTIVE: PlannedStatement = {
  text: 'SELECT count(*)::int AS count FROM opt_outs WHERE account_id = ANY($1::uuid[]) AND phone = $2 AND is_active',
};

export async function countActiveOptOuts(pool: pg.Pool, { accountIds, address }: Person): Promise<number> {
  const { rows } = await pool.query<{ count: number }>({ ...COUNT_ACTIVE, values: [accountIds, address] });
  return rows[0]?.count ?? 0;
}

/** Joins the rows of the alias `t` with the keys in $1, a JSON array. */
const joinKeys = (table: RowKey['table'], ...columns: string[]) =>
  `jsonb_populate_recordset(NULL::${table}, $1::jsonb) k
   WHERE ${columns.map((column) => `t.${column} = k.${column}`).join(' AND ')}`;

const OPT_OUT_KEYS = joinKeys('opt_outs', 'account_id', 'kind', 'sender', 'phone');

const CONSENT_KEYS = joinKeys('consents', 'id', 'phone');

const ERASE_STATEMENTS: Record<RowKey['table'], PlannedStatement> = {
  verifications: {
    text: `UPDATE verifications t SET recipient = t.calling_code, code_hash = NULL, sealed_code = NULL
           FROM ${joinKeys('verifications', 'id')}`,
  },
  verification_recipients: {
    text: `DELETE FROM verification_recipients t USING ${joinKeys('verification_recipients', 'account_id', 'recipient')}`,
  },
  spend_counts: {
    text: `DELETE FROM spend_counts t
           USING ${joinKeys('spend_counts', 'account_id', 'scope', 'subject', 'span', 'ends_at', 'key_id')}`,
  },
  campaign_member_variables: {
    text: `DELETE FROM campaign_member_variables t USING ${joinKeys('campaign_member_variables', 'campaign_id', 'phone')}`,
  },
  inbound_parts: {
    text: `DELETE FROM inbound_parts t
           USING ${joinKeys('inbound_parts', 'carrier', 'sender', 'recipient', 'reference', 'total', 'part')}`,
  },
  carrier_callbacks: { text: `DELETE FROM carrier_callbacks t USING ${joinKeys('carrier_callbacks', 'id')}` },
  carrier_calls: { text: `DELETE FROM carrier_calls t USING ${joinKeys('carrier_calls', 'id')}` },
  opt_outs: { text: `DELETE FROM opt_outs t USING ${OPT_OUT_KEYS}` },
  consents: { text: `DELETE FROM consents t USING ${CONSENT_KEYS}` },
  consent_requests: { text: `DELETE FROM consent_requests t USING ${joinKeys('consent_requests', 'id')}` },
};

/** Rows of sign-in codes are kept, but lose the number and the code. */
export async function deleteRows(client: pg.PoolClient, rows: readonly RowKey[]): Promise<void> {
  const [first] = rows;
  if (!first) return;
  await client.query({ ...ERASE_STATEMENTS[first.table], values: [JSON.stringify(rows.map(({ key }) => key))] });
}

const DELETE_PAST_OPT_OUTS: PlannedStatement = {
  text: `DELETE FROM opt_outs t USING ${OPT_OUT_KEYS} AND NOT t.is_active`,
};

const REMOVE_KEYWORDS: PlannedStatement = { text: `UPDATE opt_outs t SET keyword = NULL FROM ${OPT_OUT_KEYS}` };

/** Unless `forgetsAll` is set, active opt-outs are kept without the keyword that the person wrote. */
export async function forgetOptOuts(
  client: pg.PoolClient,
  rows: readonly RowKey[],
  forgetsAll: boolean,
): Promise<void> {
  const values = [JSON.stringify(rows.map(({ key }) => key))];
  await client.query({ ...(forgetsAll ? ERASE_STATEMENTS.opt_outs : DELETE_PAST_OPT_OUTS), values });
  await client.query({ ...REMOVE_KEYWORDS, values });
}

const REMOVE_EVIDENCE: PlannedStatement = {
  text: `UPDATE consents t SET name = NULL, wording = NULL, wording_version = NULL, ip = NULL, url = NULL FROM ${CONSENT_KEYS}`,
};

/** Unless `forgetsAll` is set, entries of the consent ledger keep the address, purpose, decision, source and time. */
export async function forgetConsents(
  client: pg.PoolClient,
  rows: readonly RowKey[],
  forgetsAll: boolean,
): Promise<void> {
  if (forgetsAll) return await deleteRows(client, rows);
  await client.query({ ...REMOVE_EVIDENCE, values: [JSON.stringify(rows.map(({ key }) => key))] });
}
