import type pg from 'pg';
import { AppError } from '../../platform/errors.js';
import type { Statement } from '../../platform/store/pool.js';
import type { IdempotencyClaim } from '../compose/send-request.js';
import { IDEMPOTENCY_LIFETIME_MS } from './idempotency.js';

const FIND: Statement = {
  name: 'claims-find',
  text: `SELECT route, body_hash AS "bodyHash", message_ids[1] AS id FROM idempotency_keys
         WHERE account_id = $1 AND key = $2 AND created_at > $3`,
};

/** Waits for another transaction that holds the same key; a key older than 24 hours is taken over. */
const CLAIM: Statement = {
  name: 'claims-make',
  text: `
INSERT INTO idempotency_keys AS existing (account_id, key, route, body_hash, message_ids, created_at)
VALUES ($1, $2, $3, $4, ARRAY[$5::uuid], $6)
ON CONFLICT (account_id, key) DO UPDATE
  SET route = EXCLUDED.route, body_hash = EXCLUDED.body_hash, message_ids = EXCLUDED.message_ids,
      created_at = EXCLUDED.created_at
  WHERE existing.created_at <= $7`,
};

/**
 * The id of what an idempotency key has made within the last 24 hours; null when it made nothing.
 * @throws {AppError} IDEMPOTENCY_MISMATCH when the key was used for another request
 */
export async function findMade(
  connection: pg.Pool | pg.PoolClient,
  accountId: string,
  claim: IdempotencyClaim,
  now: Date,
): Promise<string | null> {
  const { rows } = await connection.query<{ route: string; bodyHash: Buffer; id: string }>({
    ...FIND,
    values: [accountId, claim.key, oldest(now)],
  });
  const [made] = rows;
  if (!made) return null;
  if (made.route === claim.route && made.bodyHash.equals(claim.bodyHash)) return made.id;
  throw new AppError('IDEMPOTENCY_MISMATCH', 'Idempotency-Key was already used for a request with another body.', [
    { field: 'Idempotency-Key', rule: 'must not be reused for another request' },
  ]);
}

/**
 * Claims a key for something that sends later, in the transaction that makes it. Of requests that come together one
 * wins and the others wait for it.
 * @returns whether it was won; if not, `findMade` tells what stands
 */
export async function claimFor(
  client: pg.PoolClient,
  accountId: string,
  { key, route, bodyHash }: IdempotencyClaim,
  id: string,
  now: Date,
): Promise<boolean> {
  const { rowCount } = await client.query({
    ...CLAIM,
    values: [accountId, key, route, bodyHash, id, now.toISOString(), oldest(now)],
  });
  return rowCount === 1;
}

function oldest(now: Date): string {
  return new Date(now.getTime() - IDEMPOTENCY_LIFETIME_MS).toISOString();
}
