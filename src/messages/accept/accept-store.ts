import type pg from 'pg';
import { buildLocatedQuery, type LocatedStatement } from '../../accounts/account-locations.js';
import { TAKE_OVER_EXPIRED_KEY } from '../../accounts/idempotency/idempotency-store.js';
import { buildAccountLock, buildBalanceMoves, lockAccounts } from '../../accounts/ledger-store.js';
import { newId } from '../../platform/ids.js';
import type { Statement } from '../../platform/store/connections/pool.js';
import { insertChangesSql } from '../changes/changes-sql.js';
import { prefixSql } from '../counters/counted-sql.js';
import { startOfHour } from '../counters/hour.js';
import {
  buildColumnParameters,
  buildInsertedColumns,
  PER_MESSAGE_COLUMNS,
  PER_REQUEST_COLUMNS,
  toMessageArrays,
  toRequestArrays,
} from './columns-sql.js';
import type { CommitContext, CommitOutcome, PendingRequest } from './pending-request.js';

const FIRST_COLUMN = 13;
const REQUEST_PARAMETERS = buildColumnParameters(PER_REQUEST_COLUMNS, FIRST_COLUMN, 'array');
const MESSAGE_PARAMETERS = buildColumnParameters(PER_MESSAGE_COLUMNS, REQUEST_PARAMETERS.nextNumber, 'array');
const INSERTED_COLUMNS = buildInsertedColumns({
  perRequest: (name) => `r.${name}`,
  perMessage: (name) => `m.${name}`,
  scheduleDelay: '(r.scheduled_at - $7::timestamptz)',
});

/**
 * The statement locks the accounts first, in ID order. A used key or a low balance fails only its own request, not the rest of
 * the batch.
 *
 * Parameters: for each request, $1–$6 number, charge, message count and idempotency key; $7 current time, $8 hour for the
 * counts; for each account, $9 account and $10 ID of the ledger line; for each message, $11 number of the request; $12 lock
 * timeout per account. The columns per request and per message follow, and last the ctid of the account's row if it is known.
 *
 * With a ctid, the account is debited only if it was locked at that ctid.
 */
function buildCommitBatch(name: string, location?: string): Statement {
  return {
    name,
    text: `
WITH request AS MATERIALIZED (
  SELECT * FROM unnest($1::int[], $2::bigint[], $3::int[], $4::text[], $5::text[], $6::bytea[], ${REQUEST_PARAMETERS.parameters})
    AS r(no, charge, message_count, key, route, body_hash, ${REQUEST_PARAMETERS.names})
), message AS MATERIALIZED (
  SELECT * FROM unnest($11::int[], ${MESSAGE_PARAMETERS.parameters}) AS m(request_no, ${MESSAGE_PARAMETERS.names})
), need AS (
  SELECT account_id, sum(charge) AS total FROM request GROUP BY account_id
), locked AS MATERIALIZED (
  ${buildAccountLock('id IN (SELECT account_id FROM need)', { location, limit: '$12::text' })}
), funded AS MATERIALIZED (
  SELECT locked.id FROM locked JOIN need ON need.account_id = locked.id
  WHERE locked.balance_micros >= need.total${location ? ` AND locked.location = ${location}` : ''}
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
), ${buildBalanceMoves({
      kind: 'charge',
      totals: 'charge',
      lineIds: 'unnest($9::uuid[], $10::uuid[])',
      at: '$7::timestamptz',
      location,
    })}, inserted AS (
  INSERT INTO messages (${INSERTED_COLUMNS.names})
  SELECT ${INSERTED_COLUMNS.values}
  FROM message m JOIN live r ON r.no = m.request_no JOIN moved_balance ON moved_balance.id = r.account_id
  RETURNING id, account_id, channel_id, surface, kind, carrier, recipient, price_micros
), counted AS (
  INSERT INTO count_deltas (hour, account_id, channel_id, kind, carrier, prefix, events, messages, micros)
  SELECT $8, account_id, channel_id, kind, carrier, ${prefixSql('recipient')}, '{accepted}', count(*), sum(price_micros)
  FROM inserted GROUP BY 2, 3, 4, 5, 6
), changed AS (
  ${insertChangesSql('message', "SELECT account_id, array_agg(id ORDER BY id) FROM inserted WHERE surface = 'a' GROUP BY account_id")}
), referenced AS (
  INSERT INTO message_references (account_id, reference, message_id)
  SELECT r.account_id, r.reference, m.id FROM message m JOIN live r ON r.no = m.request_no
  WHERE r.reference IS NOT NULL
)
SELECT r.no, live.no IS NOT NULL AS accepted, funded.id IS NOT NULL AS funded, moved_balance.location
FROM request r LEFT JOIN live ON live.no = r.no LEFT JOIN funded ON funded.id = r.account_id
  LEFT JOIN moved_balance ON moved_balance.id = r.account_id
ORDER BY r.no`,
  };
}

const COMMIT_BATCH: LocatedStatement = {
  byId: buildCommitBatch('accept-commit-batch'),
  atLocation: buildCommitBatch('accept-commit-batch-at', `$${MESSAGE_PARAMETERS.nextNumber}::tid`),
};

const FIND_COMMITTED: Statement = {
  name: 'accept-find-committed',
  text: 'SELECT id FROM messages WHERE id = ANY($1::uuid[])',
};

/** `location` is the current ctid of the account's row, or null if the balance did not change. */
interface Committed {
  accepted: boolean;
  funded: boolean;
  location: string | null;
}

/** An idempotency key may occur only once in the batch. */
export async function commitGeneral(
  connection: pg.Pool | pg.PoolClient,
  batch: readonly PendingRequest[],
  { now, locations, lockMs }: CommitContext,
): Promise<CommitOutcome[]> {
  const values = toBatchValues(batch, now, lockMs);
  const commit = async (ctid?: string) =>
    (await connection.query<Committed>(buildLocatedQuery(COMMIT_BATCH, values, ctid))).rows;
  const [account, ...furtherAccounts] = listAccountIds(batch);
  const rows =
    furtherAccounts.length > 0
      ? await commit()
      : await locations.find(account as string, async (ctid) => {
          const answer = await commit(ctid);
          const location = answer.find((row) => row.location !== null)?.location ?? null;
          return { answer, isAtLocation: answer.some(({ funded }) => funded), location };
        });
  return rows.map((row) => (row.accepted ? 'accepted' : row.funded ? 'conflict' : 'unfunded'));
}

function toBatchValues(batch: readonly PendingRequest[], now: Date, lockMs: number | null = null): unknown[] {
  return [
    ...toLockingArrays(batch),
    now.toISOString(),
    startOfHour(now),
    ...toLedgerColumns(batch),
    batch.flatMap(({ ids }, no) => ids.map(() => no)),
    lockMs?.toString() ?? null,
    ...toRequestArrays(batch),
    ...toMessageArrays(PER_MESSAGE_COLUMNS, batch),
  ];
}

/**
 * Finds requests that were committed although PostgreSQL's response was lost. Waits for the account locks of the lost
 * transaction, so that the result is final.
 * @throws {AccountLocked} after `lockMs`
 */
export async function findCommitted(
  client: pg.PoolClient,
  batch: readonly PendingRequest[],
  lockMs: number,
): Promise<Set<PendingRequest>> {
  await lockAccounts(client, listAccountIds(batch), lockMs);
  const { rows } = await client.query<{ id: string }>({
    ...FIND_COMMITTED,
    values: [batch.map((pending) => pending.ids[0])],
  });
  const committedIds = new Set(rows.map((row) => row.id));
  return new Set(batch.filter((pending) => committedIds.has(pending.ids[0] as string)));
}

function toLockingArrays(batch: readonly PendingRequest[]): unknown[] {
  const toColumn = <T>(value: (pending: PendingRequest) => T): T[] => batch.map(value);
  return [
    batch.map((_, no) => no),
    toColumn((pending) => pending.charge.toString()),
    toColumn((pending) => pending.ids.length),
    toColumn((pending) => pending.request.idempotencyKey?.key ?? null),
    toColumn((pending) => pending.request.idempotencyKey?.route ?? null),
    toColumn((pending) => pending.request.idempotencyKey?.bodyHash ?? null),
  ];
}

export function listAccountIds(batch: readonly PendingRequest[]): string[] {
  return [...new Set(batch.map((pending) => pending.request.account.id))];
}

function toLedgerColumns(batch: readonly PendingRequest[]): unknown[] {
  const accounts = listAccountIds(batch);
  return [accounts, accounts.map(() => newId())];
}
