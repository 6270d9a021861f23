import type pg from 'pg';
import {
  createDeletedResultError,
  getIdempotencyCutoff,
  type IdempotencyKey,
} from '../../../accounts/idempotency/idempotency.js';
import { findResultIds } from '../../../accounts/idempotency/idempotency-store.js';
import { toPlainArray } from '../../../platform/store/array-literals.js';
import type { Statement } from '../../../platform/store/connections/pool.js';
import type { Connection } from '../../../platform/store/with-transaction.js';
import type { Acceptance } from '../../compose/send-request.js';
import { CARRIED_COLUMNS, type CarriedRow, readCarried } from '../message-columns.js';
import type { PendingRequest } from '../pending-request.js';

const FIND_USED_KEYS: Statement = {
  name: 'idempotency-find-taken',
  text: `SELECT requested.no::int FROM unnest($1::uuid[], $2::text[], $3::timestamptz[])
           WITH ORDINALITY AS requested(account_id, key, since, no)
         JOIN idempotency_keys k ON k.account_id = requested.account_id AND k.key = requested.key AND k.created_at > requested.since`,
};

const FIND_MESSAGES: Statement = {
  name: 'idempotency-find-messages',
  text: `SELECT id, recipient, recipient_plus, parts, contact_id FROM messages
         WHERE id = ANY($1::uuid[]) AND account_id = $2 ORDER BY id`,
};

/** The text is read once per request rather than per message, because it may be long. */
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
 * Returns null if the idempotency key is unused or expired, or all of its messages were deleted.
 * @throws {AppError} IDEMPOTENCY_MISMATCH if the key was used for another request, CONFLICT if some of its messages were
 * deleted
 */
export async function findAcceptance(
  pool: Connection,
  accountId: string,
  key: IdempotencyKey,
  now: Date,
): Promise<Acceptance | null> {
  const messageIds = await findResultIds(pool, accountId, key, now);
  if (!messageIds) return null;
  const { rows } = await pool.query<MessageRow>({ ...FIND_MESSAGES, values: [toPlainArray(messageIds), accountId] });
  const [first] = rows;
  if (!first) return null;
  // If some messages were deleted, a partial response would look like a send to fewer recipients.
  if (rows.length < messageIds.length) throw createDeletedResultError();
  const { rows: common } = await pool.query<CommonRow>({ ...FIND_COMMON, values: [first.id, accountId] });
  if (!common[0]) return null;
  const { body, notes } = readCarried(common[0]);
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

/** The caller must have locked the accounts. */
export async function findUsedKeys<T extends Pick<PendingRequest, 'request' | 'acceptedAt'>>(
  client: pg.PoolClient,
  requests: readonly T[],
): Promise<T[]> {
  const requestsWithKey = requests.filter(({ request }) => request.idempotencyKey);
  if (requestsWithKey.length === 0) return [];
  const { rows } = await client.query<{ no: number }>({
    ...FIND_USED_KEYS,
    values: [
      requestsWithKey.map(({ request }) => request.account.id),
      requestsWithKey.map(({ request }) => request.idempotencyKey?.key),
      requestsWithKey.map(({ acceptedAt }) => getIdempotencyCutoff(acceptedAt).toISOString()),
    ],
  });
  return rows.map(({ no }) => requestsWithKey[no - 1] as T);
}
