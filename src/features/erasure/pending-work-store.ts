import type pg from 'pg';
import { cancelQueuedSql, runCancellation } from '../../messages/cancel/cancel-store.js';
import { toPlainArray } from '../../platform/store/array-literals.js';
import type { PlannedStatement, Statement } from '../../platform/store/connections/pool.js';
import type { Person } from './person.js';
import { digitsSql, listWrittenDigits } from './written-number-sql.js';

const MAX_CANCELED = 1_000;

const FIND_UNSENT: PlannedStatement = {
  text: `SELECT m.id FROM messages m
         WHERE m.next_look IS NOT NULL AND number_key(m.account_id, m.recipient) = number_key($1::uuid, $2::text)
           AND m.account_id = $1::uuid AND m.recipient = $2 AND m.status IN ('queued', 'sending') LIMIT ${MAX_CANCELED}`,
};

export async function findUnsentMessages(pool: pg.Pool, accountId: string, address: string): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>({ ...FIND_UNSENT, values: [accountId, address] });
  return rows.map(({ id }) => id);
}

const CANCEL: Statement = { name: 'erasure-cancel', text: cancelQueuedSql('id = ANY($1::uuid[])') };

/** Skips messages that a worker is already sending. The caller's transaction must hold the account's lock. */
export function cancelMessages(
  client: pg.PoolClient,
  { accountId, ids }: { accountId: string; ids: readonly string[] },
  now: Date,
): Promise<number> {
  return runCancellation(client, CANCEL, { id: toPlainArray(ids), accountId }, now, 'The recipient was erased.');
}

/**
 * $2 is the number or user ID, and $3 contains the digits of the number's written forms. Digits of adjacent cells run
 * together, so an unrelated import may match, which only delays the erasure.
 */
const namesPerson = (input: string) => `(position($2 in ${input}) > 0
  OR EXISTS (SELECT FROM unnest($3::text[]) AS digits WHERE position(digits in ${digitsSql(input)}) > 0))`;

const FIND_IMPORTS: PlannedStatement = {
  text: `SELECT j.id FROM contact_import_jobs j
         WHERE j.channel_id = ANY($1::uuid[]) AND j.completed_at IS NULL AND (${namesPerson('j.input')} OR EXISTS (
           SELECT FROM contact_import_slices s WHERE s.job_id = j.id AND ${namesPerson('s.input')}))`,
};

export async function findPendingImports(
  pool: pg.Pool,
  person: Pick<Person, 'channelIds' | 'address' | 'callingCode'>,
): Promise<string[]> {
  const values = [person.channelIds, person.address, listWrittenDigits(person)];
  const { rows } = await pool.query<{ id: string }>({ ...FIND_IMPORTS, values });
  return rows.map(({ id }) => id);
}

const COUNT_UNPROCESSED_REPORTS: PlannedStatement = {
  text: `SELECT count(*)::int AS count FROM carrier_callbacks
         WHERE set_aside_at IS NULL AND position(convert_to($1, 'UTF8') in body) > 0`,
};

export async function countUnprocessedReports(pool: pg.Pool, address: string): Promise<number> {
  const { rows } = await pool.query<{ count: number }>({ ...COUNT_UNPROCESSED_REPORTS, values: [address] });
  return rows[0]?.count ?? 0;
}
