import type pg from 'pg';
import { buildAccountLock, withinLockTimeout } from '../../accounts/ledger-store.js';
import { newId } from '../../platform/ids.js';
import { toColumns } from '../../platform/store/columns.js';
import { inTransaction, type Statement } from '../../platform/store/connections/pool.js';
import { toStorable } from '../../platform/store/storable.js';
import { COUNTED_COLUMNS, countMoved } from '../counters/counted-sql.js';
import { startOfHour } from '../counters/hour.js';
import { STATUS_EVENT_COLUMNS, statusEvents } from '../events/status-events-sql.js';
import { byId, type EndEvent } from './events.js';
import { FALLS_BACK, fallsBack, insertFallbacks } from './fallbacks-due-sql.js';
import { type MovedRow, readMovedIds } from './moved-rows.js';
import { refundMessages } from './refund-sql.js';

const LOCK_OWNERS: Statement = {
  name: 'status-lock-owners',
  text: buildAccountLock('id IN (SELECT account_id FROM messages WHERE id = ANY($1::uuid[]))', { limit: '$2::text' }),
};

const FIND_OWNERS: Statement = {
  name: 'status-find-owners',
  text: 'SELECT id, account_id AS "accountId" FROM messages WHERE id = ANY($1::uuid[])',
};

export async function findOwners(pool: pg.Pool, events: readonly EndEvent[]): Promise<Map<string, string>> {
  const { rows } = await pool.query<{ id: string; accountId: string }>({
    ...FIND_OWNERS,
    values: [events.map(({ id }) => id)],
  });
  return new Map(rows.map(({ id, accountId }) => [id, accountId]));
}

/**
 * Ends messages, and refunds each message unless a carrier may have accepted it. A maybe accepted message is refunded too if
 * its fallback will be charged instead. One statement makes both changes, because with two statements a killed process could
 * charge the customer twice.
 */
const END_AND_REFUND: Statement = {
  name: 'status-end-and-refund',
  text: `
WITH ended AS (
  UPDATE messages m SET
    status = e.status,
    ended_at = e.at,
    error_code = e.error_code,
    error_message = e.error_message,
    maybe_accepted = m.maybe_accepted OR e.maybe_accepted,
    refunded = NOT e.maybe_accepted AND (NOT m.maybe_accepted OR (e.status = 'failed' AND ${fallsBack('e')})),
    lease_until = NULL,
    next_look = NULL
  FROM unnest($1::uuid[], $2::smallint[], $3::message_status[], $4::timestamptz[], $5::text[], $6::text[],
              $7::boolean[]) AS e(id, attempt, status, at, error_code, error_message, maybe_accepted)
  WHERE m.id = e.id AND m.status = 'sending' AND m.attempts = e.attempt AND m.lease_until IS NOT NULL
  RETURNING ${STATUS_EVENT_COLUMNS}, ${COUNTED_COLUMNS}, m.price_micros, m.refunded, ${FALLS_BACK}
), ${statusEvents('ended')}, ${countMoved({
    moved: 'ended',
    hour: '$11',
    refunded: 'CASE WHEN m.refunded THEN m.price_micros ELSE 0 END',
    mayIncludeOptOuts: true,
  })}, fallbacks_due AS (${insertFallbacks('ended')}), ${refundMessages({
    ended: 'ended WHERE refunded',
    lineIds: 'unnest($9::uuid[], $10::uuid[])',
    at: '$8',
  })}
SELECT id, NULL::uuid AS "accountId" FROM ended UNION ALL SELECT NULL, account_id FROM counted`,
};

/**
 * @param now time of the balance change
 * @param lockMs how long to wait for the row of each account
 * @param accounts receives the IDs of the accounts whose messages were ended
 * @returns the IDs of the ended messages
 * @throws {AccountLocked} when an account could not be locked in time; nothing was changed
 */
export function endMessages(
  pool: pg.Pool,
  events: readonly EndEvent[],
  now: Date,
  lockMs: number,
  accounts: Set<string>,
): Promise<Set<string>> {
  const sorted = [...events].sort(byId);
  return inTransaction(pool, async (client) => {
    const ids = sorted.map((e) => e.id);
    const owners = await withinLockTimeout(client, () =>
      client.query<{ id: string }>({ ...LOCK_OWNERS, values: [ids, `${lockMs}`] }),
    );
    const accountIds = owners.rows.map((row) => row.id);
    const { rows } = await client.query<MovedRow>({
      ...END_AND_REFUND,
      values: [
        ...toColumns(sorted, (e) => [
          e.id,
          e.attempt,
          e.status,
          e.at.toISOString(),
          toStorable(e.errorCode),
          toStorable(e.errorMessage),
          e.maybeAccepted,
        ]),
        now.toISOString(),
        accountIds,
        accountIds.map(() => newId()),
        startOfHour(now),
      ],
    });
    return readMovedIds(rows, accounts);
  });
}
