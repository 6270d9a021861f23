import type pg from 'pg';
import { accountLock, lockAccounts, moveBalances } from '../../accounts/ledger-store.js';
import { newId } from '../../platform/ids.js';
import type { Statement } from '../../platform/store/pool.js';
import { newChanges } from '../changes/changes-sql.js';
import type { SendRequest } from '../compose/send-request.js';
import { prefixOf } from '../counters/counted-sql.js';
import { hourOf } from '../counters/hour.js';
import { TAKE_OVER_EXPIRED_KEY } from './idempotency-store.js';

/** A priced request on its way into a commit. Its ids are made before the first try, so that a repeated try is seen. */
export interface PendingRequest {
  request: SendRequest;
  acceptedAt: Date;
  validUntil: Date;
  /** SMS parts of each message; 1 for WhatsApp. */
  parts: number;
  /** One per recipient, rising. */
  ids: readonly string[];
  /** Millionths of the currency unit, one per recipient. */
  prices: readonly bigint[];
  /** The carrier of each recipient, null for the request's own; null where all have that. */
  carriers: readonly (string | null)[] | null;
  /** Sum of the prices. */
  charge: bigint;
  /** Bytes of text and content, over all recipients. */
  storedBytes: number;
}

/**
 * What became of a request in a commit: `conflict` means that its idempotency key is taken, `unfunded` that the account
 * could not pay for all its requests of the batch together.
 */
export type CommitOutcome = 'accepted' | 'conflict' | 'unfunded';

/**
 * Debits, keys, messages and ledger lines of a batch in one statement, which is one transaction. Accounts are locked
 * in id order before anything else. Keys are inserted for funded accounts only, and messages only for keys that were
 * won, so neither a taken key nor an empty balance fails the batch. A key whose lifetime is over is taken over.
 *
 * $1–$19 describe the requests, $20–$26 the messages, $27 and $28 give each account the id of its ledger line, $29 is
 * the moment. $30 are the carriers of messages that are routed, and no list at all where none is: what it lacks is null.
 * $31 are the times of requests that are scheduled, empty where none is: those wait by PostgreSQL's clock for as long as
 * they are ahead of the moment. $32–$35 are the notes of the requests, empty where none has any. $36 is the hour
 * in which they count. $37 are the requests that they came with, $38 their traces.
 */
const COMMIT_BATCH: Statement = {
  name: 'accept-commit-batch',
  text: `
WITH request AS MATERIALIZED (
  SELECT * FROM unnest(
    $1::int[], $2::uuid[], $3::bigint[], $4::int[], $5::text[], $6::text[], $7::bytea[], $8::uuid[], $9::surface[],
    $10::channel_kind[], $11::smallint[], $12::smallint[], $13::text[], $14::text[], $15::text[], $16::jsonb[],
    $17::timestamptz[], $18::timestamptz[], $19::uuid[], $31::timestamptz[], $32::text[], $33::jsonb[], $34::text[],
    $35::uuid[], $37::text[], $38::text[]
  ) AS r(no, account_id, charge, message_count, key, route, body_hash, channel_id, surface, kind, priority, parts,
         carrier, sender, body, content, accepted_at, valid_until, campaign_id, scheduled_at,
         reference, metadata, callback_url, callback_id, request_id,
         traceparent)
), message AS MATERIALIZED (
  SELECT * FROM unnest($20::uuid[], $21::int[], $22::text[], $23::boolean[], $24::bigint[], $25::uuid[], $26::uuid[],
                       $30::text[])
    AS m(id, request_no, recipient, recipient_plus, price, contact_id, conversation_id, carrier)
), need AS (
  SELECT account_id, sum(charge) AS total FROM request GROUP BY account_id
), locked AS MATERIALIZED (
  ${accountLock('id IN (SELECT account_id FROM need)')}
), funded AS MATERIALIZED (
  SELECT locked.id FROM locked JOIN need ON need.account_id = locked.id WHERE locked.balance_micros >= need.total
), won AS (
  INSERT INTO idempotency_keys AS existing (account_id, key, route, body_hash, message_ids, created_at)
  SELECT r.account_id, r.key, r.route, r.body_hash,
         (SELECT array_agg(m.id ORDER BY m.id) FROM message m WHERE m.request_no = r.no), r.accepted_at
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
    lineIds: 'unnest($27::uuid[], $28::uuid[])',
    at: '$29::timestamptz',
  })}, inserted AS (
  INSERT INTO messages (id, account_id, channel_id, created_at, valid_until, next_look, price_micros, surface, kind,
    status, priority, parts, recipient_plus, carrier, sender, recipient, body, content, contact_id, conversation_id,
    campaign_id, scheduled_at, not_before, reference, metadata, callback_url, callback_id, request_id, traceparent)
  SELECT m.id, r.account_id, r.channel_id, r.accepted_at, r.valid_until,
         now() + coalesce(r.scheduled_at - $29::timestamptz, interval '30 seconds'), m.price, r.surface, r.kind,
         'queued', r.priority, r.parts, m.recipient_plus, coalesce(m.carrier, r.carrier), r.sender, m.recipient, r.body,
         r.content, m.contact_id, m.conversation_id, r.campaign_id, r.scheduled_at,
         now() + (r.scheduled_at - $29::timestamptz), r.reference, r.metadata, r.callback_url, r.callback_id,
         r.request_id, r.traceparent
  FROM message m JOIN live r ON r.no = m.request_no JOIN moved_balance ON moved_balance.id = r.account_id
  RETURNING id, account_id, channel_id, surface, kind, carrier, recipient, price_micros
), counted AS (
  INSERT INTO count_deltas (hour, account_id, channel_id, kind, carrier, prefix, events, messages, micros)
  SELECT $36, account_id, channel_id, kind, carrier, ${prefixOf('recipient')}, '{accepted}', count(*), sum(price_micros)
  FROM inserted GROUP BY 2, 3, 4, 5, 6
), changed AS (
  ${newChanges('message', "SELECT account_id, array_agg(id ORDER BY id) FROM inserted WHERE surface = 'a' GROUP BY account_id")}
), referenced AS (
  INSERT INTO message_references (account_id, reference, message_id)
  SELECT r.account_id, r.reference, m.id FROM message m JOIN live r ON r.no = m.request_no
  WHERE r.reference IS NOT NULL
)
SELECT r.no, live.no IS NOT NULL AS accepted, funded.id IS NOT NULL AS funded
FROM request r LEFT JOIN live ON live.no = r.no LEFT JOIN funded ON funded.id = r.account_id
ORDER BY r.no`,
};

const FIND_COMMITTED: Statement = {
  name: 'accept-find-committed',
  text: 'SELECT id FROM messages WHERE id = ANY($1::uuid[])',
};

/**
 * Commits a batch of any sends in one statement and answers for each request, in order. `now` becomes the time of the balance
 * change. The batch must hold an idempotency key at most once.
 */
export async function commitGeneral(
  connection: pg.Pool | pg.PoolClient,
  batch: readonly PendingRequest[],
  now: Date,
): Promise<CommitOutcome[]> {
  const { rows } = await connection.query<{ accepted: boolean; funded: boolean }>({
    ...COMMIT_BATCH,
    values: [
      ...requestColumns(batch),
      ...messageColumns(batch),
      ...ledgerColumns(batch),
      now.toISOString(),
      routedCarriers(batch),
      scheduledTimes(batch),
      ...noteColumns(batch),
      hourOf(now),
      batch.map(({ request }) => request.origin?.requestId ?? null),
      batch.map(({ request }) => request.origin?.traceparent ?? null),
    ],
  });
  return rows.map((row) => (row.accepted ? 'accepted' : row.funded ? 'conflict' : 'unfunded'));
}

/**
 * The requests of a batch that are already committed, found after its answer was lost. The account locks come first:
 * they wait for the lost transaction if it is still under way, so that its outcome is then known. Call it in a transaction and
 * commit the rest in the same one.
 */
export async function findCommitted(
  client: pg.PoolClient,
  batch: readonly PendingRequest[],
): Promise<Set<PendingRequest>> {
  await lockAccounts(client, [...new Set(batch.map((pending) => pending.request.account.id))]);
  const { rows } = await client.query<{ id: string }>({
    ...FIND_COMMITTED,
    values: [batch.map((pending) => pending.ids[0])],
  });
  const present = new Set(rows.map((row) => row.id));
  return new Set(batch.filter((pending) => present.has(pending.ids[0] as string)));
}

function requestColumns(batch: readonly PendingRequest[]): unknown[] {
  const column = <T>(value: (pending: PendingRequest) => T): T[] => batch.map(value);
  return [
    batch.map((_, no) => no),
    column((pending) => pending.request.account.id),
    column((pending) => pending.charge.toString()),
    column((pending) => pending.ids.length),
    column((pending) => pending.request.idempotencyKey?.key ?? null),
    column((pending) => pending.request.idempotencyKey?.route ?? null),
    column((pending) => pending.request.idempotencyKey?.bodyHash ?? null),
    column((pending) => pending.request.channelId),
    column((pending) => pending.request.surface),
    column((pending) => pending.request.kind),
    column((pending) => pending.request.priority),
    column((pending) => pending.parts),
    column((pending) => pending.request.carrier),
    column((pending) => pending.request.sender),
    column((pending) => pending.request.body),
    column((pending) => (pending.request.content ? JSON.stringify(pending.request.content) : null)),
    column((pending) => pending.acceptedAt.toISOString()),
    column((pending) => pending.validUntil.toISOString()),
    column((pending) => pending.request.campaignId ?? null),
  ];
}

function messageColumns(batch: readonly PendingRequest[]): unknown[] {
  const ids: string[] = [];
  const requests: number[] = [];
  const recipients: string[] = [];
  const pluses: boolean[] = [];
  const prices: string[] = [];
  const contacts: (string | null)[] = [];
  const conversations: (string | null)[] = [];
  for (const [no, pending] of batch.entries()) {
    for (const [index, recipient] of pending.request.recipients.entries()) {
      ids.push(pending.ids[index] as string);
      requests.push(no);
      recipients.push(recipient.digits);
      pluses.push(recipient.plus);
      prices.push((pending.prices[index] as bigint).toString());
      contacts.push(recipient.contactId ?? null);
      conversations.push(recipient.conversationId ?? null);
    }
  }
  return [ids, requests, recipients, pluses, prices, contacts, conversations];
}

function ledgerColumns(batch: readonly PendingRequest[]): unknown[] {
  const accounts = [...new Set(batch.map((pending) => pending.request.account.id))];
  return [accounts, accounts.map(() => newId())];
}

/** The time to which each request is scheduled; empty where none of the batch is. */
function scheduledTimes(batch: readonly PendingRequest[]): (string | null)[] {
  if (batch.every(({ request }) => request.scheduledAt === undefined)) return [];
  return batch.map(({ request }) => request.scheduledAt?.toISOString() ?? null);
}

/** What the sender of each request notes on it; empty where no request of the batch has notes. */
function noteColumns(batch: readonly PendingRequest[]): (string | null)[][] {
  if (batch.every(({ request }) => request.notes === undefined)) return [[], [], [], []];
  const rows = batch.map(({ request }) => notesOf(request));
  return [0, 1, 2, 3].map((column) => rows.map((row) => row[column] ?? null));
}

/** The columns `reference`, `metadata`, `callback_url` and `callback_id` of a request's messages. */
export function notesOf({ notes }: SendRequest): (string | null)[] {
  const { reference = null, metadata = null, callback = null } = notes ?? {};
  return [reference, metadata && JSON.stringify(metadata), callback?.url ?? null, callback?.id ?? null];
}

/** The carrier that each message's route gave it; empty where no message of the batch is routed. */
export function routedCarriers(batch: readonly PendingRequest[]): (string | null)[] {
  if (batch.every((pending) => pending.carriers === null)) return [];
  return batch.flatMap((pending) => pending.carriers ?? pending.ids.map(() => null));
}

/** The trace of each message; empty where no message of the batch has one. */
export function tracesOfMessages(batch: readonly PendingRequest[]): (string | null)[] {
  if (batch.every(({ request }) => !request.origin?.traceparent)) return [];
  return batch.flatMap(({ ids, request }) => ids.map(() => request.origin?.traceparent ?? null));
}
