import type pg from 'pg';
import type { Statement } from '../../platform/store/connections/pool.js';
import type { Connection } from '../../platform/store/with-transaction.js';
import {
  getIdempotencyCutoff,
  IDEMPOTENCY_LIFETIME_MS,
  type IdempotencyKey,
  requireSameRequest,
} from './idempotency.js';

/**
 * Ends an `INSERT INTO idempotency_keys AS existing` statement, so that a stored key is replaced only if it has expired. The
 * insert waits while another open transaction inserts the same idempotency key.
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

const RESERVE_KEY: Statement = {
  name: 'idempotency-take-key',
  text: `INSERT INTO idempotency_keys AS existing (account_id, key, route, body_hash, message_ids, created_at)
         VALUES ($1, $2, $3, $4, $5::uuid[], $6)${TAKE_OVER_EXPIRED_KEY}`,
};

/** @throws {AppError} IDEMPOTENCY_MISMATCH */
export async function findResultId(
  connection: Connection,
  accountId: string,
  key: IdempotencyKey,
  now: Date,
): Promise<string | null> {
  const ids = await findResultIds(connection, accountId, key, now);
  return ids?.[0] ?? null;
}

/**
 * Returns false if another request has reserved the idempotency key, and `findResultId` then returns that request's result ID.
 * Concurrent requests with the same idempotency key wait until the caller's transaction ends.
 */
export async function reserveKey(
  client: pg.PoolClient,
  accountId: string,
  claim: IdempotencyKey,
  id: string,
  now: Date,
): Promise<boolean> {
  return reserveKeyForIds(client, accountId, claim, [id], now);
}

/** As `reserveKey`, for a result with several IDs, which `findResultIds` then returns. */
export async function reserveKeyForIds(
  client: pg.PoolClient,
  accountId: string,
  { key, route, bodyHash }: IdempotencyKey,
  ids: readonly string[],
  now: Date,
): Promise<boolean> {
  const values = [accountId, key, route, bodyHash, ids, now.toISOString()];
  const { rowCount } = await client.query({ ...RESERVE_KEY, values });
  return rowCount === 1;
}

/** @throws {AppError} IDEMPOTENCY_MISMATCH */
export async function findResultIds(
  connection: Connection,
  accountId: string,
  key: IdempotencyKey,
  now: Date,
): Promise<string[] | null> {
  const { rows } = await connection.query<{ route: string; bodyHash: Buffer; messageIds: string[] }>({
    ...FIND_KEY,
    values: [accountId, key.key, getIdempotencyCutoff(now).toISOString()],
  });
  const [stored] = rows;
  if (!stored) return null;
  requireSameRequest(stored, key);
  return stored.messageIds;
}
