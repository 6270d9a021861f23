import type pg from 'pg';
import { plainArray } from '../../../platform/store/array-literals.js';
import type { Statement } from '../../../platform/store/connections/pool.js';
import type { Connection } from '../../../platform/store/within.js';
import type { Acceptance, IdempotencyKey } from '../../compose/send-request.js';
import { CARRIED_COLUMNS, type CarriedRow, carriedOf } from '../message-columns.js';
import type { PendingRequest } from '../pending-request.js';
import { IDEMPOTENCY_LIFETIME_MS, idempotencyExpiry, madeWasDeleted, requireSameRequest } from './idempotency.js';

/**
 * The part of an insertion into `idempotency_keys AS existing` that takes over a key whose time is up, and leaves any
 * other alone. It waits for another transaction that holds the same key.
 */
export const TAKE_OVER_EXPIRED_KEY = `
  ON CONFLICT (account_id, key) DO UPDATE
    SET route = EXCLUDED.route, body_hash = EXCLUDED.body_hash, message_ids = EXCLUDED.message_ids,
        created_at = EXCLUDED.created_at
    WHERE existing.created_at <= EXCLUDED.created_at - interval '${IDEMPOTENCY_LIFETIME_MS} milliseconds'`;

const FIND_KEY: Statement = {
  name: 'idempotency-find-key',
  text: `SELECT route, body_hash AS "bodyHash", message_ids AS "messageIds" FROM idempotency_keys
         WHERE account_id = $1 AND key = $2 AND created_at > $3`,
};

const TAKE_KEY: Statement = {
  name: 'idempotency-take-key',
  text: `INSERT INTO idempotency_keys AS existing (account_id, key, route, body_hash, message_ids, created_at)
         VALUES ($1, $2, $3, $4, ARRAY[$5::uuid], $6)${TAKE_OVER_EXPIRED_KEY}`,
};

const FIND_TAKEN: Statement = {
  name: 'idempotency-find-taken',
  text: `SELECT asked.no::int FROM unnest($1::uuid[], $2::text[], $3::timestamptz[])
           WITH ORDINALITY AS asked(account_id, key, since, no)
         JOIN idempotency_keys k ON k.account_id = asked.account_id AND k.key = asked.key AND k.created_at > asked.since`,
};

const FIND_MESSAGES: Statement = {
  name: 'idempotency-find-messages',
  text: `SELECT id, recipient, recipient_plus, parts, contact_id FROM messages
         WHERE id = ANY($1::uuid[]) AND account_id = $2 ORDER BY id`,
};

/** What the messages of a request have in common, which may be a long text. */
const FIND_COMMON: Statement = {
  name: 'idempotency-find-common',
  text: `SELECT m.created_at, ${CARRIED_COLUMNS} FROM messages m WHERE m.id = $1 AND m.account_id = $2`,
};

interface MessageRow {
  id: string;
  recipient: string;
  recipient_plus: boolean;
  parts: number;
  contact_id: string | null;
}

interface CommonRow extends CarriedRow {
  created_at: Date;
}

/**
 * The answer of the send that a key made within its lifetime before `now`, rendered from its messages; null when it made
 * none, or when none is left.
 * @throws {AppError} IDEMPOTENCY_MISMATCH when the key was used for another request, CONFLICT when some of its messages
 *   were deleted
 */
export async function findAcceptance(
  pool: Connection,
  accountId: string,
  key: IdempotencyKey,
  now: Date,
): Promise<Acceptance | null> {
  const messageIds = await findIds(pool, accountId, key, now);
  if (!messageIds) return null;
  const { rows } = await pool.query<MessageRow>({ ...FIND_MESSAGES, values: [plainArray(messageIds), accountId] });
  const [first] = rows;
  if (!first) return null;
  // The answer cannot be repeated whole; the rest of it would look like a send to fewer.
  if (rows.length < messageIds.length) throw madeWasDeleted();
  const { rows: common } = await pool.query<CommonRow>({ ...FIND_COMMON, values: [first.id, accountId] });
  if (!common[0]) return null;
  const { body, notes } = carriedOf(common[0]);
  return {
    acceptedAt: common[0].created_at,
    body,
    messages: rows.map((row) => ({
      id: row.id,
      recipient: {
        digits: row.recipient,
        plus: row.recipient_plus,
        ...(row.contact_id !== null && { contactId: row.contact_id }),
      },
      parts: row.parts,
    })),
    notes,
    replayed: true,
  };
}

/**
 * The id of what a key made within its lifetime before `now`, by `takeKey`; null when it made nothing.
 * @throws {AppError} IDEMPOTENCY_MISMATCH when the key was used for another request
 */
export async function findMade(
  connection: pg.Pool | pg.PoolClient,
  accountId: string,
  key: IdempotencyKey,
  now: Date,
): Promise<string | null> {
  const ids = await findIds(connection, accountId, key, now);
  return ids?.[0] ?? null;
}

/**
 * Takes a key for something that sends later, in the transaction that makes it. Of requests that come together one
 * wins and the others wait for it.
 * @returns whether it was won; if not, `findMade` tells what stands
 */
export async function takeKey(
  client: pg.PoolClient,
  accountId: string,
  { key, route, bodyHash }: IdempotencyKey,
  id: string,
  now: Date,
): Promise<boolean> {
  const values = [accountId, key, route, bodyHash, id, now.toISOString()];
  const { rowCount } = await client.query({ ...TAKE_KEY, values });
  return rowCount === 1;
}

/** Those of some requests whose key is taken, be it by the same request or by another. Their accounts are to be locked. */
export async function findTaken<T extends Pick<PendingRequest, 'request' | 'acceptedAt'>>(
  client: pg.PoolClient,
  requests: readonly T[],
): Promise<T[]> {
  const keyed = requests.filter(({ request }) => request.idempotencyKey);
  if (keyed.length === 0) return [];
  const { rows } = await client.query<{ no: number }>({
    ...FIND_TAKEN,
    values: [
      keyed.map(({ request }) => request.account.id),
      keyed.map(({ request }) => request.idempotencyKey?.key),
      keyed.map(({ acceptedAt }) => idempotencyExpiry(acceptedAt).toISOString()),
    ],
  });
  return rows.map(({ no }) => keyed[no - 1] as T);
}

async function findIds(
  connection: pg.Pool | pg.PoolClient,
  accountId: string,
  key: IdempotencyKey,
  now: Date,
): Promise<string[] | null> {
  const { rows } = await connection.query<{ route: string; bodyHash: Buffer; messageIds: string[] }>({
    ...FIND_KEY,
    values: [accountId, key.key, idempotencyExpiry(now).toISOString()],
  });
  const [made] = rows;
  if (!made) return null;
  requireSameRequest(made, key);
  return made.messageIds;
}
