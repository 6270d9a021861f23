import type pg from 'pg';
import { type IdempotencyKey, idempotencyExpiry, resultWasDeleted } from '../../../accounts/idempotency/idempotency.js';
import { findResultIds } from '../../../accounts/idempotency/idempotency-store.js';
import { plainArray } from '../../../platform/store/array-literals.js';
import type { Statement } from '../../../platform/store/connections/pool.js';
import type { Connection } from '../../../platform/store/within.js';
import type { Acceptance } from '../../compose/send-request.js';
import { CARRIED_COLUMNS, type CarriedRow, carriedOf } from '../message-columns.js';
import type { PendingRequest } from '../pending-request.js';

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
  const messageIds = await findResultIds(pool, accountId, key, now);
  if (!messageIds) return null;
  const { rows } = await pool.query<MessageRow>({ ...FIND_MESSAGES, values: [plainArray(messageIds), accountId] });
  const [first] = rows;
  if (!first) return null;
  // The answer cannot be repeated whole; the rest of it would look like a send to fewer.
  if (rows.length < messageIds.length) throw resultWasDeleted();
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
