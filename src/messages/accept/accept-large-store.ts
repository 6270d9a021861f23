import type pg from 'pg';
import { getIdempotencyCutoff } from '../../accounts/idempotency/idempotency.js';
import { TAKE_OVER_EXPIRED_KEY } from '../../accounts/idempotency/idempotency-store.js';
import { buildDebit, lockAccounts, withinLockTimeout } from '../../accounts/ledger-store.js';
import { newId } from '../../platform/ids.js';
import { toPlainArray } from '../../platform/store/array-literals.js';
import { inTransaction, type PlannedStatement } from '../../platform/store/connections/pool.js';
import { insertChangesSql } from '../changes/changes-sql.js';
import { AcceptedTally } from '../counters/accepted-tally.js';
import { startOfHour } from '../counters/hour.js';
import {
  buildColumnParameters,
  buildInsertedColumns,
  PER_MESSAGE_COLUMNS,
  PER_REQUEST_COLUMNS,
  toMessageArrays,
  toRequestValues,
} from './columns-sql.js';
import { commitGuarded, type GuardOptions, isGuarded } from './guard/commit-guarded.js';
import type { CommitOutcome, PendingRequest } from './pending-request.js';
import { BYTES_PER_MESSAGE } from './volume.js';

const SLICE_MESSAGES = 500;

/**
 * Detects, before any message is inserted and without locks, that the account cannot pay or that the idempotency key is already
 * used.
 */
const PRECHECK: PlannedStatement = {
  text: `SELECT balance_micros >= $2 AS funded,
                EXISTS (SELECT FROM idempotency_keys k
                        WHERE k.account_id = $1 AND k.key = $3 AND k.created_at > $4) AS taken
         FROM accounts WHERE id = $1`,
};

const REQUEST_PARAMETERS = buildColumnParameters(PER_REQUEST_COLUMNS, 2, 'value');
const MESSAGE_PARAMETERS = buildColumnParameters(PER_MESSAGE_COLUMNS, REQUEST_PARAMETERS.nextNumber, 'array');
const INSERTED_COLUMNS = buildInsertedColumns({
  perRequest: REQUEST_PARAMETERS.parameter,
  perMessage: (name) => `m.${name}`,
  scheduleDelay: `(${REQUEST_PARAMETERS.parameter('scheduled_at')} - $1::timestamptz)`,
});

/** Parameters: $1 current time, then one value per column of the request, then one array per column of its messages. */
const INSERT_SLICE: PlannedStatement = {
  text: `
WITH inserted AS (
INSERT INTO messages (${INSERTED_COLUMNS.names})
SELECT ${INSERTED_COLUMNS.values}
FROM unnest(${MESSAGE_PARAMETERS.parameters}) AS m(${MESSAGE_PARAMETERS.names})
RETURNING id, account_id, reference
), changed AS (
  ${insertChangesSql('message', `SELECT ${REQUEST_PARAMETERS.parameter('account_id')}, ${MESSAGE_PARAMETERS.parameter('id')} WHERE ${REQUEST_PARAMETERS.parameter('surface')} = 'a'`)}
)
INSERT INTO message_references (account_id, reference, message_id)
SELECT account_id, reference, id FROM inserted WHERE reference IS NOT NULL`,
};

/**
 * Parameters: $1 account, $2 charge, $3 current time, $4 ID of the ledger line, $5 number of messages. $6–$10 idempotency key
 * with its message IDs and their time, or nulls without a key, $11 hour, $12 channel, $13 kind, $14–$17 counts by carrier and
 * country, $18 lock timeout.
 */
const DEBIT_AND_RECORD: PlannedStatement = {
  text: `
WITH ${buildDebit({ limit: '$18::text' })}, won AS (
  INSERT INTO idempotency_keys AS existing (account_id, key, route, body_hash, message_ids, created_at)
  SELECT debited.id, $6::text, $7::text, $8::bytea, $9::uuid[], $10::timestamptz FROM debited WHERE $6::text IS NOT NULL
  ${TAKE_OVER_EXPIRED_KEY}
  RETURNING key
), counted AS (
  INSERT INTO count_deltas (hour, account_id, channel_id, kind, carrier, prefix, events, messages, micros)
  SELECT $11, debited.id, $12, $13, t.carrier, t.prefix, '{accepted}', t.messages, t.micros
  FROM debited CROSS JOIN unnest($14::text[], $15::text[], $16::int[], $17::bigint[]) AS t(carrier, prefix, messages, micros)
)
SELECT EXISTS (SELECT FROM debited) AS funded, $6::text IS NULL OR EXISTS (SELECT FROM won) AS won`,
};

/**
 * Locks the account only in the last statement, so that other sends do not wait while messages are inserted.
 * @param locksFirst locks the account before the inserts; set for an account known to be locked, so that a lock timeout does
 * not waste the inserts
 * @returns the same outcomes as `commitGeneral`; nothing is committed unless the outcome is `accepted`
 * @throws {AccountLocked} after `guard.lockMs`
 */
export async function commitLarge(
  pool: pg.Pool,
  pending: PendingRequest,
  guard: GuardOptions,
  { locksFirst = false } = {},
): Promise<CommitOutcome> {
  const { now, lockMs = null } = guard;
  const refusal = await precheck(pool, pending, now);
  if (refusal) return refusal;
  const commitAccount = async (client: pg.PoolClient) => {
    await withinLockTimeout(client, () => debitAndRecord(client, pending, now, lockMs));
    return ['accepted'] as const;
  };
  try {
    await inTransaction(pool, async (client) => {
      if (locksFirst && lockMs !== null) await lockAccounts(client, [pending.request.account.id], lockMs);
      const size = sliceSize(pending);
      const requestValues = toRequestValues(pending);
      for (let start = 0; start < pending.ids.length; start += size) {
        const values = [
          now.toISOString(),
          ...requestValues,
          ...toMessageArrays(PER_MESSAGE_COLUMNS, [pending], start, start + size),
        ];
        await client.query({ ...INSERT_SLICE, values });
      }
      const [outcome] = isGuarded([pending])
        ? await commitGuarded(client, [pending], guard, () => commitAccount(client))
        : await commitAccount(client);
      if (outcome !== 'accepted') throw new Refused(outcome as CommitOutcome);
    });
    return 'accepted';
  } catch (error) {
    if (error instanceof Refused) return error.outcome;
    throw error;
  }
}

class Refused extends Error {
  constructor(readonly outcome: CommitOutcome) {
    super(String(outcome));
  }
}

async function precheck(pool: pg.Pool, pending: PendingRequest, now: Date): Promise<CommitOutcome | null> {
  const { account, idempotencyKey } = pending.request;
  const { rows } = await pool.query<{ funded: boolean; taken: boolean }>({
    ...PRECHECK,
    values: [
      account.id,
      pending.charge.toString(),
      idempotencyKey?.key ?? null,
      getIdempotencyCutoff(now).toISOString(),
    ],
  });
  if (!rows[0]?.funded) return 'unfunded';
  return rows[0].taken ? 'conflict' : null;
}

function sliceSize({ ids, storedBytes }: PendingRequest): number {
  const bytesPerMessage = storedBytes / ids.length;
  return Math.max(1, Math.floor(SLICE_MESSAGES / (1 + bytesPerMessage / BYTES_PER_MESSAGE)));
}

async function debitAndRecord(
  client: pg.PoolClient,
  pending: PendingRequest,
  now: Date,
  lockMs: number | null,
): Promise<void> {
  const { account, channelId, kind, idempotencyKey: key } = pending.request;
  const { rows } = await client.query<{ funded: boolean; won: boolean }>({
    ...DEBIT_AND_RECORD,
    values: [
      account.id,
      pending.charge.toString(),
      now.toISOString(),
      newId(),
      pending.ids.length,
      ...(key
        ? [key.key, key.route, key.bodyHash, toPlainArray(pending.ids), pending.acceptedAt.toISOString()]
        : [null, null, null, null, null]),
      startOfHour(now),
      channelId,
      kind,
      ...tallyMessages(pending).toColumns(),
      lockMs?.toString() ?? null,
    ],
  });
  if (!rows[0]?.funded) throw new Refused('unfunded');
  if (!rows[0].won) throw new Refused('conflict');
}

function tallyMessages({ request, prices, carriers }: PendingRequest): AcceptedTally {
  const tally = new AcceptedTally();
  for (const [index, { digits }] of request.recipients.entries()) {
    tally.add(carriers?.[index] ?? request.carrier, digits, prices[index] as bigint);
  }
  return tally;
}
