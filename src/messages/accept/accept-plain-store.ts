import type pg from 'pg';
import { debitOne } from '../../accounts/ledger-store.js';
import { askedAt, type PlacedStatement } from '../../accounts/places.js';
import { newId } from '../../platform/ids.js';
import type { Statement } from '../../platform/store/connections/pool.js';
import { newChanges } from '../changes/changes-sql.js';
import { AcceptedTally } from '../counters/accepted-tally.js';
import { hourOf } from '../counters/hour.js';
import { columnParameters, insertedColumns, messageArrays } from './columns-sql.js';
import { COLUMN_ENTRIES, type Column, type SameName } from './message-columns.js';
import type { CommitContext, PendingRequest } from './pending-request.js';

/** What is one for all of a plain batch. */
const SAME: Readonly<Record<SameName, string>> = {
  account_id: 'debited.id',
  kind: "'sms'",
  surface: '$6',
  carrier: '$7',
};

/** An array each. Of what is the same in all of a batch, only what a message may have in its place. */
const ARRAYS = COLUMN_ENTRIES.filter(([, { plain, each }]) => plain === 'each' || (plain === 'same' && each));
const NEVER = COLUMN_ENTRIES.filter(([, { plain }]) => plain === 'never').map(([, column]) => column);
const ALIKE = COLUMN_ENTRIES.filter(([, { plain }]) => plain === 'same').map(([, column]) => column);

const MESSAGES = columnParameters(ARRAYS, 14, 'array');
const INSERTED = insertedColumns({
  common: (name, { plain }) => ({ each: `m.${name}`, same: SAME[name as SameName], never: null })[plain],
  own: (name, { plain }) => (plain === 'never' ? null : `m.${name}`),
  ahead: null,
});

/**
 * The debit and the messages of one account's plain SMS. It is the general statement of accept-store.ts with everything
 * left out that such a batch does not need, and costs PostgreSQL half as much.
 *
 * $1 account, $2 charge, $3 moment, $4 id of the ledger line, $5 number of messages, $6 surface, $7 carrier; $8–$12 are
 * what is counted: the hour, and numbers by carrier and country; $13 limits the wait for the account. Then come the columns of the messages, and at the end, where
 * it is known, the place of the account's row.
 */
function commitPlainBy(name: string, place?: string): Statement {
  return {
    name,
    text: `
WITH ${debitOne({ place, limit: '$13::text' })}, inserted AS (
  INSERT INTO messages (${INSERTED.names})
  SELECT ${INSERTED.values}
  FROM debited CROSS JOIN unnest(${MESSAGES.parameters}) AS m(${MESSAGES.names})
), counted AS (
  INSERT INTO count_deltas (hour, account_id, kind, carrier, prefix, events, messages, micros)
  SELECT $8, debited.id, 'sms', t.carrier, t.prefix, '{accepted}', t.messages, t.micros
  FROM debited CROSS JOIN unnest($9::text[], $10::text[], $11::int[], $12::bigint[]) AS t(carrier, prefix, messages, micros)
), changed AS (
  ${newChanges('message', `SELECT id, ${MESSAGES.at('id')} FROM debited WHERE $6 = 'a'`)}
)
SELECT place FROM debited`,
  };
}

const COMMIT_PLAIN: PlacedStatement = {
  byId: commitPlainBy('accept-commit-plain'),
  atPlace: commitPlainBy('accept-commit-plain-at', `$${MESSAGES.next}::tid`),
};

/** Whether a batch is of one account's SMS, on one surface and by one carrier, with nothing but text and no keys. */
export function isPlain(batch: readonly PendingRequest[]): boolean {
  const [first] = batch;
  return batch.every(
    (pending) =>
      pending.request.kind === 'sms' &&
      pending.request.idempotencyKey === null &&
      ALIKE.every(({ of }) => of?.(pending) === of?.(first as PendingRequest)) &&
      !NEVER.some((column) => has(pending, column)),
  );
}

function has(pending: PendingRequest, { of, each }: Column): boolean {
  return (
    (of && of(pending) !== null) || (each && pending.ids.some((_, index) => each(pending, index) !== null)) || false
  );
}

/**
 * Commits a plain batch; false when the account cannot pay for all of it, and nothing has happened. `now` becomes the
 * time of the balance change.
 */
export async function commitPlain(
  connection: pg.Pool | pg.PoolClient,
  batch: readonly PendingRequest[],
  { now, places, lockMs }: CommitContext,
): Promise<boolean> {
  const values = plainValues(batch, now, lockMs);
  return places.find((batch[0] as PendingRequest).request.account.id, async (at) => {
    const { rows } = await connection.query<{ place: string }>(askedAt(COMMIT_PLAIN, values, at));
    const place = rows[0]?.place ?? null;
    return { answer: place !== null, isThere: place !== null, place };
  });
}

function plainValues(batch: readonly PendingRequest[], now: Date, lockMs: number | null = null): unknown[] {
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
    hourOf(now),
    ...tally.columns(),
    lockMs?.toString() ?? null,
    ...messageArrays(ARRAYS, batch),
  ];
}
