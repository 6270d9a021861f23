import type pg from 'pg';
import { cancelQueued, cancelWaiting } from '../../messages/cancel/cancel-store.js';
import { plainArray } from '../../platform/store/array-literals.js';
import type { PlannedStatement, Statement } from '../../platform/store/connections/pool.js';

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

const CANCEL: Statement = { name: 'erasure-cancel', text: cancelQueued('id = ANY($1::uuid[])') };

/** Cancels and refunds those of some messages that no worker holds, in a transaction that holds the lock of the account. */
export function cancelThese(
  client: pg.PoolClient,
  { accountId, ids }: { accountId: string; ids: readonly string[] },
  now: Date,
): Promise<number> {
  return cancelWaiting(client, CANCEL, { id: plainArray(ids), accountId }, now, 'The recipient was erased.');
}

/** Of CSV and JSON alike: a number that is imported stands there as one row of digits. */
const IMPORTS: PlannedStatement = {
  text: `SELECT j.id FROM contact_import_jobs j
         WHERE j.channel_id = ANY($1::uuid[]) AND j.completed_at IS NULL AND (position($2 in j.input) > 0 OR EXISTS (
           SELECT FROM contact_import_slices s WHERE s.job_id = j.id AND position($2 in s.input) > 0))`,
};

/** Imports of some channels that are not done and name a number. */
export async function findWaitingImports(
  pool: pg.Pool,
  channelIds: readonly string[],
  phone: string,
): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>({ ...IMPORTS, values: [channelIds, phone] });
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
