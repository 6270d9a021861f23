import type pg from 'pg';
import { buildIsNumberSql } from '../../../carriers/numbers/user-ids.js';
import type { Statement } from '../../../platform/store/connections/pool.js';
import type { Connection } from '../../../platform/store/with-transaction.js';
import { contactIdSql } from './portfolio-sql.js';

/** A message was sent to the number `sentTo`, and Meta reported the number `known` as its recipient. */
export interface SameNumber {
  sentTo: string;
  known: string;
}

/** Uses only index lookups, because the query can run for every message. */
const FIND_SPLIT: Statement = {
  name: 'numbers-parted',
  text: `SELECT account_id AS "accountId" FROM channels
         WHERE id = $1 AND ${contactIdSql('$1', '$2')} IS DISTINCT FROM ${contactIdSql('$1', '$3')}`,
};

export async function findSplitAccount(
  pool: Connection,
  channelId: string,
  { sentTo, known }: SameNumber,
): Promise<string | null> {
  const { rows } = await pool.query<{ accountId: string }>({ ...FIND_SPLIT, values: [channelId, sentTo, known] });
  return rows[0]?.accountId ?? null;
}

const LEAVE: Statement = {
  name: 'numbers-leave',
  text: `DELETE FROM contact_identities
         WHERE contact_id = $1 AND ${buildIsNumberSql('user_id')} AND NOT user_id = ANY($2::text[])`,
};

const KEEP: Statement = {
  name: 'numbers-keep',
  text: `INSERT INTO contact_identities AS i (channel_id, portfolio, user_id, is_parent, contact_id, since)
         SELECT $1, '', input.number, false, $2, $4 FROM unnest($3::text[]) AS input(number) ORDER BY input.number
         ON CONFLICT (channel_id, portfolio, user_id) DO UPDATE SET contact_id = EXCLUDED.contact_id
           WHERE i.contact_id <> EXCLUDED.contact_id`,
};

export async function setFurtherNumbers(
  client: pg.PoolClient,
  { channelId, contactId }: { channelId: string; contactId: string },
  numbers: readonly string[],
  at: Date,
): Promise<void> {
  await client.query({ ...LEAVE, values: [contactId, numbers] });
  if (numbers.length > 0) await client.query({ ...KEEP, values: [channelId, contactId, numbers, at] });
}

const IS_FURTHER: Statement = {
  name: 'numbers-is-further',
  text: `SELECT FROM contact_identities WHERE channel_id = $1 AND portfolio = '' AND user_id = $2 AND contact_id = $3`,
};

export async function isFurtherNumber(
  client: pg.PoolClient,
  { channelId, contactId }: { channelId: string; contactId: string },
  number: string,
): Promise<boolean> {
  const { rowCount } = await client.query({ ...IS_FURTHER, values: [channelId, number, contactId] });
  return rowCount === 1;
}
