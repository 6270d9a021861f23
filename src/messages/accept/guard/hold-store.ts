import type pg from 'pg';
import { lockAccounts } from '../../../accounts/ledger-store.js';
import { newId } from '../../../platform/ids.js';
import { inTransaction, type Statement } from '../../../platform/store/connections/pool.js';
import { emitEvents } from '../../events/outbox.js';
import type { PendingRequest } from '../pending-request.js';
import { type HoldRow, Holds, type NewHold } from './holds.js';

const FIND_ACTIVE: Statement = {
  name: 'spend-holds-active',
  text: `SELECT account_id AS "accountId", prefix, reason, until, released_at IS NOT NULL AS "isReleased"
         FROM spend_holds WHERE account_id = ANY($1::uuid[]) AND until > $2`,
};

export async function findHolds(
  connection: pg.Pool | pg.PoolClient,
  sends: readonly PendingRequest[],
  now: Date,
): Promise<Holds> {
  const accountIds = [...new Set(sends.map(({ request }) => request.account.id))];
  const { rows } = await connection.query<HoldRow>({ ...FIND_ACTIVE, values: [accountIds, now.toISOString()] });
  return new Holds(rows);
}

const INSERT: Statement = {
  name: 'spend-holds-insert',
  text: `INSERT INTO spend_holds (id, account_id, prefix, reason, messages, held_at, until)
         SELECT $1, $2, $3::text, $4, $5, $6::timestamptz, $7
         WHERE NOT EXISTS (SELECT FROM spend_holds WHERE account_id = $2 AND prefix = $3::text AND until > $6::timestamptz)`,
};

/**
 * @returns false if the numbers are already held or an operator has just released them
 * @throws {RangeError} for an empty prefix
 * @throws {AccountLocked} immediately if the account is locked; waiting is unnecessary because the next refusal or failure
 *   would record the same hold
 */
export function recordHold(pool: pg.Pool, hold: NewHold, now: Date): Promise<boolean> {
  const { accountId, prefix, reason, messages, minutes } = hold;
  if (!/^[0-9]+$/.test(prefix)) throw new RangeError('a hold needs a prefix of digits');
  const until = new Date(now.getTime() + minutes * 60_000);
  const id = newId();
  return inTransaction(pool, async (client) => {
    await lockAccounts(client, [accountId]);
    const values = [id, accountId, prefix, reason, messages, now.toISOString(), until.toISOString()];
    const { rowCount } = await client.query({ ...INSERT, values });
    if (rowCount !== 1) return false;
    const event = { accountId, channelId: null, type: 'account.sending_held', occurredAt: now } as const;
    await emitEvents(client, event, [{ holdId: id, accountId, prefix, reason, messages, until }]);
    return true;
  });
}

const COUNT_CODES: Statement = {
  name: 'spend-codes-of-block',
  text: `SELECT count(*)::int AS asked, count(*) FILTER (WHERE status = 'approved')::int AS approved
         FROM verifications WHERE account_id = $1 AND recipient >= $2::text AND recipient < $3
           AND starts_with(recipient, $2::text) AND created_at > $4 AND NOT checked_elsewhere`,
};

/** Counts sign-in codes of a number block, except codes that were checked outside Heliograph. */
export async function countCodes(
  client: pg.PoolClient,
  accountId: string,
  block: string,
  since: Date,
): Promise<{ asked: number; approved: number }> {
  const values = [accountId, block, toUpperBound(block), since.toISOString()];
  const { rows } = await client.query<{ asked: number; approved: number }>({ ...COUNT_CODES, values });
  return rows[0] ?? { asked: 0, approved: 0 };
}

/**
 * Returns the exclusive upper bound, in text order, of numbers with this prefix. If the prefix contains only nines, the bound
 * is a letter, because letters sort after digits.
 */
function toUpperBound(block: string): string {
  return /^9+$/.test(block) ? 'a' : String(BigInt(block) + 1n);
}

const COUNT_BY_COUNTRY: Statement = {
  name: 'spend-week-by-country',
  text: `SELECT calling_code AS code, sum(messages)::float8 AS messages FROM hourly_counts
         WHERE account_id = $1 AND hour >= $2 AND hour < $3 AND event = 'accepted' GROUP BY calling_code`,
};

export async function countByCountry(
  client: pg.PoolClient,
  accountId: string,
  from: Date,
  to: Date,
): Promise<Map<string, number>> {
  const values = [accountId, from.toISOString(), to.toISOString()];
  const { rows } = await client.query<{ code: string; messages: number }>({ ...COUNT_BY_COUNTRY, values });
  return new Map(rows.map(({ code, messages }) => [code, messages]));
}
