import type pg from 'pg';
import { buildLocatedQuery, type LocatedStatement } from '../../accounts/account-locations.js';
import { buildDebit } from '../../accounts/ledger-store.js';
import { newId } from '../../platform/ids.js';
import type { Statement } from '../../platform/store/connections/pool.js';
import { insertChangesSql } from '../changes/changes-sql.js';
import { AcceptedTally } from '../counters/accepted-tally.js';
import { startOfHour } from '../counters/hour.js';
import { buildColumnParameters, buildInsertedColumns, toMessageArrays } from './columns-sql.js';
import { COLUMN_ENTRIES, type Column, type SharedColumnName } from './message-columns.js';
import type { CommitContext, PendingRequest } from './pending-request.js';

const SHARED_VALUES: Readonly<Record<SharedColumnName, string>> = {
  account_id: 'debited.id',
  kind: "'sms'",
  surface: '$6',
  carrier: '$7',
};

/** Columns passed as arrays. A column with one value per batch is included only if a message may override the value. */
const ARRAY_COLUMNS = COLUMN_ENTRIES.filter(
  ([, { plain, perMessage }]) => plain === 'per-message' || (plain === 'per-batch' && perMessage),
);
const EXCLUDED_COLUMNS = COLUMN_ENTRIES.filter(([, { plain }]) => plain === 'never').map(([, column]) => column);
const SHARED_COLUMNS = COLUMN_ENTRIES.filter(([, { plain }]) => plain === 'per-batch').map(([, column]) => column);

const MESSAGE_PARAMETERS = buildColumnParameters(ARRAY_COLUMNS, 14, 'array');
const INSERTED_COLUMNS = buildInsertedColumns({
  perRequest: (name, { plain }) =>
    ({ 'per-message': `m.${name}`, 'per-batch': SHARED_VALUES[name as SharedColumnName], never: null })[plain],
  perMessage: (name, { plain }) => (plain === 'never' ? null : `m.${name}`),
  scheduleDelay: null,
});

/**
 * Does the same as the general statement in accept-store.ts for a plain batch, at half the cost for PostgreSQL.
 *
 * Parameters: $1 account, $2 charge, $3 current time, $4 ID of the ledger line, $5 number of messages, $6 surface, $7 carrier.
 * $8 hour, $9–$12 counts by carrier and country, $13 lock timeout. Then the columns of the messages, and last the ctid of the
 * account's row if it is known.
 */
function buildCommitPlain(name: string, location?: string): Statement {
  return {
    name,
    text: `
WITH ${buildDebit({ location, limit: '$13::text' })}, inserted AS (
  INSERT INTO messages (${INSERTED_COLUMNS.names})
  SELECT ${INSERTED_COLUMNS.values}
  FROM debited CROSS JOIN unnest(${MESSAGE_PARAMETERS.parameters}) AS m(${MESSAGE_PARAMETERS.names})
), counted AS (
  INSERT INTO count_deltas (hour, account_id, kind, carrier, prefix, events, messages, micros)
  SELECT $8, debited.id, 'sms', t.carrier, t.prefix, '{accepted}', t.messages, t.micros
  FROM debited CROSS JOIN unnest($9::text[], $10::text[], $11::int[], $12::bigint[]) AS t(carrier, prefix, messages, micros)
), changed AS (
  ${insertChangesSql('message', `SELECT id, ${MESSAGE_PARAMETERS.parameter('id')} FROM debited WHERE $6 = 'a'`)}
)
SELECT location FROM debited`,
  };
}

const COMMIT_PLAIN: LocatedStatement = {
  byId: buildCommitPlain('accept-commit-plain'),
  atLocation: buildCommitPlain('accept-commit-plain-at', `$${MESSAGE_PARAMETERS.nextNumber}::tid`),
};

/** A plain batch has SMS of one account, surface and carrier, with text only and without idempotency keys. */
export function isPlain(batch: readonly PendingRequest[]): boolean {
  const [first] = batch;
  return batch.every(
    (pending) =>
      pending.request.kind === 'sms' &&
      pending.request.idempotencyKey === null &&
      SHARED_COLUMNS.every(({ perRequest }) => perRequest?.(pending) === perRequest?.(first as PendingRequest)) &&
      !EXCLUDED_COLUMNS.some((column) => hasValue(pending, column)),
  );
}

function hasValue(pending: PendingRequest, { perRequest, perMessage }: Column): boolean {
  return (
    (perRequest && perRequest(pending) !== null) ||
    (perMessage && pending.ids.some((_, index) => perMessage(pending, index) !== null)) ||
    false
  );
}

/** Returns false, with nothing committed, if the account cannot pay for the whole batch. */
export async function commitPlain(
  connection: pg.Pool | pg.PoolClient,
  batch: readonly PendingRequest[],
  { now, locations, lockMs }: CommitContext,
): Promise<boolean> {
  const values = toPlainValues(batch, now, lockMs);
  return locations.find((batch[0] as PendingRequest).request.account.id, async (ctid) => {
    const { rows } = await connection.query<{ location: string }>(buildLocatedQuery(COMMIT_PLAIN, values, ctid));
    const location = rows[0]?.location ?? null;
    return { answer: location !== null, isAtLocation: location !== null, location };
  });
}

function toPlainValues(batch: readonly PendingRequest[], now: Date, lockMs: number | null = null): unknown[] {
  const { account, surface, carrier } = (batch[0] as PendingRequest).request;
  let charge = 0n;
  let messages = 0;
  const tally = new AcceptedTally();
  for (const pending of batch) {
    charge += pending.charge;
    messages += pending.ids.length;
    for (const [index, { digits }] of pending.request.recipients.entries()) {
      tally.add(pending.carriers?.[index] ?? carrier, digits, pending.prices[index] as bigint);
    }
  }
  return [
    account.id,
    charge.toString(),
    now.toISOString(),
    newId(),
    messages,
    surface,
    carrier,
    startOfHour(now),
    ...tally.toColumns(),
    lockMs?.toString() ?? null,
    ...toMessageArrays(ARRAY_COLUMNS, batch),
  ];
}
