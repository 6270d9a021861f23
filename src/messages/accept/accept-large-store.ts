import type pg from 'pg';
import { idempotencyExpiry } from '../../accounts/idempotency/idempotency.js';
import { TAKE_OVER_EXPIRED_KEY } from '../../accounts/idempotency/idempotency-store.js';
import { debitOne, lockAccounts, withinLockTimeout } from '../../accounts/ledger-store.js';
import { newId } from '../../platform/ids.js';
import { plainArray } from '../../platform/store/array-literals.js';
import { inTransaction, type PlannedStatement } from '../../platform/store/connections/pool.js';
import { newChanges } from '../changes/changes-sql.js';
import { AcceptedTally } from '../counters/accepted-tally.js';
import { hourOf } from '../counters/hour.js';
import {
  COMMON_COLUMNS,
  columnParameters,
  commonValues,
  insertedColumns,
  messageArrays,
  OWN_COLUMNS,
} from './columns-sql.js';
import { commitGuarded, type GuardOptions, isGuarded } from './guard/commit-guarded.js';
import type { CommitOutcome, PendingRequest } from './pending-request.js';
import { BYTES_PER_MESSAGE } from './volume.js';

/** Messages that one statement inserts at the most; fewer where their text is long. */
const SLICE_MESSAGES = 500;

/** A look without locks, so that a request which cannot be accepted does not write its messages in vain. */
const LOOK: PlannedStatement = {
  text: `SELECT balance_micros >= $2 AS funded,
                EXISTS (SELECT FROM idempotency_keys k
                        WHERE k.account_id = $1 AND k.key = $3 AND k.created_at > $4) AS taken
         FROM accounts WHERE id = $1`,
};

const REQUEST = columnParameters(COMMON_COLUMNS, 2, 'value');
const MESSAGES = columnParameters(OWN_COLUMNS, REQUEST.next, 'array');
const INSERTED = insertedColumns({
  common: REQUEST.at,
  own: (name) => `m.${name}`,
  ahead: `(${REQUEST.at('scheduled_at')} - $1::timestamptz)`,
});

/**
 * $1 is the moment. Then come the columns of messages: first what those of the request have in common, its text once for all of
 * the slice, then what each has for itself.
 */
const INSERT_SLICE: PlannedStatement = {
  text: `
WITH inserted AS (
INSERT INTO messages (${INSERTED.names})
SELECT ${INSERTED.values}
FROM unnest(${MESSAGES.parameters}) AS m(${MESSAGES.names})
RETURNING id, account_id, reference
), changed AS (
  ${newChanges('message', `SELECT ${REQUEST.at('account_id')}, ${MESSAGES.at('id')} WHERE ${REQUEST.at('surface')} = 'a'`)}
)
INSERT INTO message_references (account_id, reference, message_id)
SELECT account_id, reference, id FROM inserted WHERE reference IS NOT NULL`,
};

/**
 * $1 account, $2 charge, $3 moment, $4 id of the ledger line, $5 number of messages, $6–$10 the idempotency key with the
 * ids and the time of its messages, null without one; $11–$17 what is counted: the hour, the channel, the kind, and numbers
 * by carrier and country; $18 limits the wait for the account.
 */
const SETTLE: PlannedStatement = {
  text: `
WITH ${debitOne({ limit: '$18::text' })}, won AS (
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
 * Commits one request of many messages, or of much text, in a transaction of several statements: its messages in slices,
 * and then debit, idempotency key and ledger line in one. The account is locked by that last statement alone, so nobody
 * who sends meanwhile waits for the messages to be written. What it locks before are rows that nobody else can see.
 * @param locksFirst locks the account before all else: for one whose row somebody else holds, so that the messages are not
 *   written again and again in vain
 * @returns as `commitGeneral`; unless it is `accepted`, nothing was committed
 * @throws {AccountLocked} when the account's row could not be locked within `guard.lockMs`
 */
export async function commitLarge(
  pool: pg.Pool,
  pending: PendingRequest,
  guard: GuardOptions,
  { locksFirst = false } = {},
): Promise<CommitOutcome> {
  const { now, lockMs = null } = guard;
  const refusal = await lookAhead(pool, pending, now);
  if (refusal) return refusal;
  const settling = async (client: pg.PoolClient) => {
    await withinLockTimeout(client, () => settle(client, pending, now, lockMs));
    return ['accepted'] as const;
  };
  try {
    await inTransaction(pool, async (client) => {
      if (locksFirst && lockMs !== null) await lockAccounts(client, [pending.request.account.id], lockMs);
      const size = sliceSize(pending);
      const common = commonValues(pending);
      for (let start = 0; start < pending.ids.length; start += size) {
        const values = [now.toISOString(), ...common, ...messageArrays(OWN_COLUMNS, [pending], start, start + size)];
        await client.query({ ...INSERT_SLICE, values });
      }
      const [outcome] = isGuarded([pending])
        ? await commitGuarded(client, [pending], guard, () => settling(client))
        : await settling(client);
      if (outcome !== 'accepted') throw new Refused(outcome as CommitOutcome);
    });
    return 'accepted';
  } catch (error) {
    if (error instanceof Refused) return error.outcome;
    throw error;
  }
}

/** Rolls the transaction back for a reason that is no failure. */
class Refused extends Error {
  constructor(readonly outcome: CommitOutcome) {
    super(String(outcome));
  }
}

async function lookAhead(pool: pg.Pool, pending: PendingRequest, now: Date): Promise<CommitOutcome | null> {
  const { account, idempotencyKey } = pending.request;
  const { rows } = await pool.query<{ funded: boolean; taken: boolean }>({
    ...LOOK,
    values: [account.id, pending.charge.toString(), idempotencyKey?.key ?? null, idempotencyExpiry(now).toISOString()],
  });
  if (!rows[0]?.funded) return 'unfunded';
  return rows[0].taken ? 'conflict' : null;
}

function sliceSize({ ids, storedBytes }: PendingRequest): number {
  const bytesEach = storedBytes / ids.length;
  return Math.max(1, Math.floor(SLICE_MESSAGES / (1 + bytesEach / BYTES_PER_MESSAGE)));
}

/** @throws {Refused} where the account can no longer pay, or its key was taken meanwhile */
async function settle(client: pg.PoolClient, pending: PendingRequest, now: Date, lockMs: number | null): Promise<void> {
  const { account, channelId, kind, idempotencyKey: key } = pending.request;
  const { rows } = await client.query<{ funded: boolean; won: boolean }>({
    ...SETTLE,
    values: [
      account.id,
      pending.charge.toString(),
      now.toISOString(),
      newId(),
      pending.ids.length,
      ...(key
        ? [key.key, key.route, key.bodyHash, plainArray(pending.ids), pending.acceptedAt.toISOString()]
        : [null, null, null, null, null]),
      hourOf(now),
      channelId,
      kind,
      ...tallyOf(pending).columns(),
      lockMs?.toString() ?? null,
    ],
  });
  if (!rows[0]?.funded) throw new Refused('unfunded');
  if (!rows[0].won) throw new Refused('conflict');
}

function tallyOf({ request, prices, carriers }: PendingRequest): AcceptedTally {
  const tally = new AcceptedTally();
  for (const [index, { digits }] of request.recipients.entries()) {
    tally.add(carriers?.[index] ?? request.carrier, digits, prices[index] as bigint);
  }
  return tally;
}
