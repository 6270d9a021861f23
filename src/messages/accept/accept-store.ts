import type pg from 'pg';
import { TAKE_OVER_EXPIRED_KEY } from '../../accounts/idempotency/idempotency-store.js';
import { accountLock, lockAccounts, moveBalances } from '../../accounts/ledger-store.js';
import { askedAt, type PlacedStatement } from '../../accounts/places.js';
import { newId } from '../../platform/ids.js';
import type { Statement } from '../../platform/store/connections/pool.js';
import { newChanges } from '../changes/changes-sql.js';
import { prefixOf } from '../counters/counted-sql.js';
import { hourOf } from '../counters/hour.js';
import {
  COMMON_COLUMNS,
  columnParameters,
  commonArrays,
  insertedColumns,
  messageArrays,
  OWN_COLUMNS,
} from './columns-sql.js';
import type { CommitContext, CommitOutcome, PendingRequest } from './pending-request.js';

/** Bound before the columns of messages. */
const FIRST_COLUMN = 13;
const REQUESTS = columnParameters(COMMON_COLUMNS, FIRST_COLUMN, 'array');
const MESSAGES = columnParameters(OWN_COLUMNS, REQUESTS.next, 'array');
const INSERTED = insertedColumns({
  common: (name) => `r.${name}`,
  own: (name) => `m.${name}`,
  ahead: '(r.scheduled_at - $7::timestamptz)',
});

/**
 * Debits, keys, messages and ledger lines of a batch in one statement, which is one transaction. Accounts are locked
 * in id order before anything else. Keys are inserted for funded accounts only, and messages only for keys that were
 * won, so neither a taken key nor an empty balance fails the batch. A key whose lifetime is over is taken over.
 *
 * $1–$6 describe the requests: their numbers, charges, numbers of messages and idempotency keys; $7 is the moment, $8 the
 * hour in which they count; $9 and $10 give each account the id of its ledger line, $11 each message the number of its
 * request; $12 limits the wait for each account. Then come the columns of messages: first what those of a request have in common, a value a request, then what each
 * has for itself, and at the end, where it is known of the one account, the place of its row. What is scheduled waits by
 * PostgreSQL's clock for as long as it is ahead of the moment. Where a place is given, only an account that was locked there can pay:
 * then nobody changes it between the lock and the debit.
 */
function commitBatchBy(name: string, place?: string): Statement {
  return {
    name,
    text: `
WITH request AS MATERIALIZED (
  SELECT * FROM unnest($1::int[], $2::bigint[], $3::int[], $4::text[], $5::text[], $6::bytea[], ${REQUESTS.parameters})
    AS r(no, charge, message_count, key, route, body_hash, ${REQUESTS.names})
), message AS MATERIALIZED (
  SELECT * FROM unnest($11::int[], ${MESSAGES.parameters}) AS m(request_no, ${MESSAGES.names})
), need AS (
  SELECT account_id, sum(charge) AS total FROM request GROUP BY account_id
), locked AS MATERIALIZED (
  ${accountLock('id IN (SELECT account_id FROM need)', { place, limit: '$12::text' })}
), funded AS MATERIALIZED (
  SELECT locked.id FROM locked JOIN need ON need.account_id = locked.id
  WHERE locked.balance_micros >= need.total${place ? ` AND locked.place = ${place}` : ''}
), won AS (
  INSERT INTO idempotency_keys AS existing (account_id, key, route, body_hash, message_ids, created_at)
  SELECT r.account_id, r.key, r.route, r.body_hash,
         (SELECT array_agg(m.id ORDER BY m.id) FROM message m WHERE m.request_no = r.no), r.created_at
  FROM request r JOIN funded ON funded.id = r.account_id
  WHERE r.key IS NOT NULL
  ORDER BY r.account_id, r.key${TAKE_OVER_EXPIRED_KEY}
  RETURNING account_id, key
), live AS MATERIALIZED (
  SELECT r.* FROM request r
  JOIN funded ON funded.id = r.account_id
  LEFT JOIN won ON won.account_id = r.account_id AND won.key = r.key
  WHERE r.key IS NULL OR won.key IS NOT NULL
), charge AS (
  SELECT account_id, sum(charge)::bigint AS total, sum(message_count)::int AS message_count FROM live GROUP BY account_id
), ${moveBalances({
      kind: 'charge',
      totals: 'charge',
      lineIds: 'unnest($9::uuid[], $10::uuid[])',
      at: '$7::timestamptz',
      place,
    })}, inserted AS (
  INSERT INTO messages (${INSERTED.names})
  SELECT ${INSERTED.values}
  FROM message m JOIN live r ON r.no = m.request_no JOIN moved_balance ON moved_balance.id = r.account_id
  RETURNING id, account_id, channel_id, surface, kind, carrier, recipient, price_micros
), counted AS (
  INSERT INTO count_deltas (hour, account_id, channel_id, kind, carrier, prefix, events, messages, micros)
  SELECT $8, account_id, channel_id, kind, carrier, ${prefixOf('recipient')}, '{accepted}', count(*), sum(price_micros)
  FROM inserted GROUP BY 2, 3, 4, 5, 6
), changed AS (
  ${newChanges('message', "SELECT account_id, array_agg(id ORDER BY id) FROM inserted WHERE surface = 'a' GROUP BY account_id")}
), referenced AS (
  INSERT INTO message_references (account_id, reference, message_id)
  SELECT r.account_id, r.reference, m.id FROM message m JOIN live r ON r.no = m.request_no
  WHERE r.reference IS NOT NULL
)
SELECT r.no, live.no IS NOT NULL AS accepted, funded.id IS NOT NULL AS funded, moved_balance.place
FROM request r LEFT JOIN live ON live.no = r.no LEFT JOIN funded ON funded.id = r.account_id
  LEFT JOIN moved_balance ON moved_balance.id = r.account_id
ORDER BY r.no`,
  };
}

const COMMIT_BATCH: PlacedStatement = {
  byId: commitBatchBy('accept-commit-batch'),
  atPlace: commitBatchBy('accept-commit-batch-at', `$${MESSAGES.next}::tid`),
};

const FIND_COMMITTED: Statement = {
  name: 'accept-find-committed',
  text: 'SELECT id FROM messages WHERE id = ANY($1::uuid[])',
};

/** A request of a batch, and where the row of its account lies now; null where its balance was not moved. */
interface Committed {
  accepted: boolean;
  funded: boolean;
  place: string | null;
}

/**
 * Commits a batch of any sends in one statement and answers for each request, in order. `now` becomes the time of the balance
 * change. The batch must hold an idempotency key at most once.
 */
export async function commitGeneral(
  connection: pg.Pool | pg.PoolClient,
  batch: readonly PendingRequest[],
  { now, places, lockMs }: CommitContext,
): Promise<CommitOutcome[]> {
  const values = batchValues(batch, now, lockMs);
  const commit = async (at?: string) => (await connection.query<Committed>(askedAt(COMMIT_BATCH, values, at))).rows;
  const [account, ...others] = accountsOf(batch);
  const rows =
    others.length > 0
      ? await commit()
      : await places.find(account as string, async (at) => {
          const answer = await commit(at);
          const place = answer.find((row) => row.place !== null)?.place ?? null;
          return { answer, isThere: answer.some(({ funded }) => funded), place };
        });
  return rows.map((row) => (row.accepted ? 'accepted' : row.funded ? 'conflict' : 'unfunded'));
}

function batchValues(batch: readonly PendingRequest[], now: Date, lockMs: number | null = null): unknown[] {
  return [
    ...requestArrays(batch),
    now.toISOString(),
    hourOf(now),
    ...ledgerColumns(batch),
    batch.flatMap(({ ids }, no) => ids.map(() => no)),
    lockMs?.toString() ?? null,
    ...commonArrays(batch),
    ...messageArrays(OWN_COLUMNS, batch),
  ];
}

/**
 * The requests of a batch that are already committed, found after its answer was lost. The account locks come first:
 * they wait for the lost transaction if it is still under way, so that its outcome is then known. Call it in a transaction and
 * commit the rest in the same one.
 * @throws {AccountLocked} when an account could not be locked within `lockMs`
 */
export async function findCommitted(
  client: pg.PoolClient,
  batch: readonly PendingRequest[],
  lockMs: number,
): Promise<Set<PendingRequest>> {
  await lockAccounts(client, accountsOf(batch), lockMs);
  const { rows } = await client.query<{ id: string }>({
    ...FIND_COMMITTED,
    values: [batch.map((pending) => pending.ids[0])],
  });
  const present = new Set(rows.map((row) => row.id));
  return new Set(batch.filter((pending) => present.has(pending.ids[0] as string)));
}

/** What is asked of the requests, and is no column of their messages. */
function requestArrays(batch: readonly PendingRequest[]): unknown[] {
  const column = <T>(value: (pending: PendingRequest) => T): T[] => batch.map(value);
  return [
    batch.map((_, no) => no),
    column((pending) => pending.charge.toString()),
    column((pending) => pending.ids.length),
    column((pending) => pending.request.idempotencyKey?.key ?? null),
    column((pending) => pending.request.idempotencyKey?.route ?? null),
    column((pending) => pending.request.idempotencyKey?.bodyHash ?? null),
  ];
}

export function accountsOf(batch: readonly PendingRequest[]): string[] {
  return [...new Set(batch.map((pending) => pending.request.account.id))];
}

function ledgerColumns(batch: readonly PendingRequest[]): unknown[] {
  const accounts = accountsOf(batch);
  return [accounts, accounts.map(() => newId())];
}
