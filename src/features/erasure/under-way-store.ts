import type pg from 'pg';
import { cancelQueuedSql, runCancellation } from '../../messages/cancel/cancel-store.js';
import { plainArray } from '../../platform/store/array-literals.js';
import type { PlannedStatement, Statement } from '../../platform/store/connections/pool.js';
import type { Person } from './person.js';
import { digitsIn, writtenDigits } from './written-sql.js';

/** Messages of one account that are canceled at once. */
const MOST_CANCELED = 1_000;

const TO_SEND: PlannedStatement = {
  text: `SELECT m.id FROM messages m
         WHERE m.next_look IS NOT NULL AND number_key(m.account_id, m.recipient) = number_key($1::uuid, $2::text)
           AND m.account_id = $1::uuid AND m.recipient = $2 AND m.status IN ('queued', 'sending') LIMIT ${MOST_CANCELED}`,
};

/** Messages of an account to a number that are not sent yet, or just being sent. */
export async function findToSend(pool: pg.Pool, accountId: string, phone: string): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>({ ...TO_SEND, values: [accountId, phone] });
  return rows.map(({ id }) => id);
}

const CANCEL: Statement = { name: 'erasure-cancel', text: cancelQueuedSql('id = ANY($1::uuid[])') };

/** Cancels and refunds those of some messages that no worker holds, in a transaction that holds the lock of the account. */
export function cancelThese(
  client: pg.PoolClient,
  { accountId, ids }: { accountId: string; ids: readonly string[] },
  now: Date,
): Promise<number> {
  return runCancellation(client, CANCEL, { id: plainArray(ids), accountId }, now, 'The recipient was erased.');
}

/**
 * Of CSV and JSON alike, whose cells run together so: to wait for one import too many does less harm than to overlook one.
 * $2 is a number or an id as it is, $3 all that a number's digits may be when it is written.
 */
const names = (input: string) => `(position($2 in ${input}) > 0
  OR EXISTS (SELECT FROM unnest($3::text[]) AS digits WHERE position(digits in ${digitsIn(input)}) > 0))`;

const IMPORTS: PlannedStatement = {
  text: `SELECT j.id FROM contact_import_jobs j
         WHERE j.channel_id = ANY($1::uuid[]) AND j.completed_at IS NULL AND (${names('j.input')} OR EXISTS (
           SELECT FROM contact_import_slices s WHERE s.job_id = j.id AND ${names('s.input')}))`,
};

/** Imports of some channels that are not done and name a person, however the number is written. */
export async function findWaitingImports(
  pool: pg.Pool,
  person: Pick<Person, 'channelIds' | 'phone' | 'callingCode'>,
): Promise<string[]> {
  const values = [person.channelIds, person.phone, writtenDigits(person)];
  const { rows } = await pool.query<{ id: string }>({ ...IMPORTS, values });
  return rows.map(({ id }) => id);
}

const CALLBACKS: PlannedStatement = {
  text: `SELECT count(*)::int AS count FROM carrier_callbacks
         WHERE set_aside_at IS NULL AND position(convert_to($1, 'UTF8') in body) > 0`,
};

/** Reports of carriers that name a number and wait to be worked off. */
export async function countWaitingCallbacks(pool: pg.Pool, phone: string): Promise<number> {
  const { rows } = await pool.query<{ count: number }>({ ...CALLBACKS, values: [phone] });
  return rows[0]?.count ?? 0;
}
