import type pg from 'pg';
import { DEBIT_ONE } from '../../accounts/ledger-store.js';
import { newId } from '../../platform/ids.js';
import { plainArray, textArray } from '../../platform/store/array-literals.js';
import type { Statement } from '../../platform/store/pool.js';
import { newChanges } from '../changes/changes-sql.js';
import { AcceptedTally } from '../counters/accepted-tally.js';
import { hourOf } from '../counters/hour.js';
import { type PendingRequest, routedCarriers, tracesOfMessages } from './accept-store.js';

/**
 * The debit and the messages of one account's plain SMS. It is the general statement of accept-store.ts with everything
 * left out that such a batch does not need, and costs PostgreSQL half as much.
 *
 * $1 account, $2 charge, $3 moment, $4 id of the ledger line, $5 number of messages, $6 surface, $7 carrier; $8–$17
 * describe the messages. $18 are the carriers of those that are routed, and empty where none is: what it lacks is null.
 * $19–$23 are what is counted: the hour, and numbers by carrier and country. $24 are the requests that they came with,
 * $25 their traces, and empty where none has one.
 */
const COMMIT_PLAIN: Statement = {
  name: 'accept-commit-plain',
  text: `
WITH ${DEBIT_ONE}, inserted AS (
  INSERT INTO messages (id, account_id, created_at, valid_until, next_look, price_micros, surface, kind, status,
    priority, parts, recipient_plus, carrier, sender, recipient, body, request_id,
    traceparent)
  SELECT m.id, debited.id, m.accepted_at, m.valid_until, now() + interval '30 seconds', m.price, $6, 'sms', 'queued',
         m.priority, m.parts, m.recipient_plus, coalesce(m.carrier, $7), m.sender, m.recipient, m.body,
         m.request_id, m.traceparent
  FROM debited CROSS JOIN unnest(
    $8::uuid[], $9::timestamptz[], $10::timestamptz[], $11::bigint[], $12::smallint[], $13::smallint[],
    $14::boolean[], $15::text[], $16::text[], $17::text[], $18::text[], $24::text[], $25::text[]
  ) AS m(id, accepted_at, valid_until, price, priority, parts, recipient_plus, sender, recipient, body, carrier,
         request_id, traceparent)
), counted AS (
  INSERT INTO count_deltas (hour, account_id, kind, carrier, prefix, events, messages, micros)
  SELECT $19, debited.id, 'sms', t.carrier, t.prefix, '{accepted}', t.messages, t.micros
  FROM debited CROSS JOIN unnest($20::text[], $21::text[], $22::int[], $23::bigint[]) AS t(carrier, prefix, messages, micros)
), changed AS (
  ${newChanges('message', "SELECT id, $8::uuid[] FROM debited WHERE $6 = 'a'")}
)
SELECT 1 FROM debited`,
};

/** Whether a batch is of one account's SMS, on one surface and by one carrier, with nothing but text and no keys. */
export function isPlain(batch: readonly PendingRequest[]): boolean {
  const first = batch[0]?.request;
  return batch.every(
    ({ request }) =>
      request.kind === 'sms' &&
      request.idempotencyKey === null &&
      request.content === null &&
      request.channelId === null &&
      request.toContacts === undefined &&
      request.campaignId === undefined &&
      request.scheduledAt === undefined &&
      request.notes === undefined &&
      request.account.id === first?.account.id &&
      request.surface === first.surface &&
      request.carrier === first.carrier,
  );
}

/**
 * Commits a plain batch; false when the account cannot pay for all of it, and nothing has happened. `now` becomes the
 * time of the balance change.
 */
export async function commitPlain(
  connection: pg.Pool | pg.PoolClient,
  batch: readonly PendingRequest[],
  now: Date,
): Promise<boolean> {
  const { account, surface, carrier } = (batch[0] as PendingRequest).request;
  let charge = 0n;
  const ids: string[] = [];
  const acceptedAt: string[] = [];
  const validUntil: string[] = [];
  const prices: bigint[] = [];
  const priorities: number[] = [];
  const parts: number[] = [];
  const pluses: boolean[] = [];
  const senders: string[] = [];
  const recipients: string[] = [];
  const bodies: string[] = [];
  const requestIds: (string | null)[] = [];
  const tally = new AcceptedTally();
  for (const pending of batch) {
    const { request } = pending;
    const accepted = pending.acceptedAt.toISOString();
    const valid = pending.validUntil.toISOString();
    const requestId = request.origin?.requestId ?? null;
    charge += pending.charge;
    for (const [index, recipient] of request.recipients.entries()) {
      ids.push(pending.ids[index] as string);
      acceptedAt.push(accepted);
      validUntil.push(valid);
      const price = pending.prices[index] as bigint;
      prices.push(price);
      priorities.push(request.priority);
      parts.push(pending.parts);
      pluses.push(recipient.plus);
      senders.push(request.sender);
      recipients.push(recipient.digits);
      bodies.push(request.body);
      requestIds.push(requestId);
      tally.add(pending.carriers?.[index] ?? carrier, recipient.digits, price);
    }
  }
  const { rows } = await connection.query({
    ...COMMIT_PLAIN,
    values: [
      account.id,
      charge.toString(),
      now.toISOString(),
      newId(),
      ids.length,
      surface,
      carrier,
      plainArray(ids),
      plainArray(acceptedAt),
      plainArray(validUntil),
      plainArray(prices),
      plainArray(priorities),
      plainArray(parts),
      plainArray(pluses),
      textArray(senders),
      plainArray(recipients),
      textArray(bodies),
      textArray(routedCarriers(batch)),
      hourOf(now),
      ...tally.columns(),
      textArray(requestIds),
      plainArray(tracesOfMessages(batch)),
    ],
  });
  return rows.length > 0;
}
