import { insertTestEvent } from '../../messages/events/outbox-store.js';
import { buildEventBody, TEST_EVENT } from '../../messages/events/webhook-events.js';
import type { DeliveryStatus, WebhookFormat } from '../../platform/generated/prisma/client.js';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';
import type { Connection } from '../../platform/store/within.js';
import { type FactsSource, type FormatFacts, findFormatFacts, formatBody } from './formats.js';

/** Characters of a body that the log shows; what is sent may be longer. */
export const LOGGED_BODY_CHARACTERS = 8_192;

/** One event for one webhook, and what became of it. */
export interface DeliveryEntry {
  /** Also its `webhook-id`. */
  id: string;
  type: string;
  /** What is sent, at every try; cut to LOGGED_BODY_CHARACTERS. */
  body: string;
  bodyTruncated: boolean;
  status: 'pending' | 'delivered' | 'failed';
  attempts: number;
  lastStatusCode: number | null;
  lastError: string | null;
  createdAt: Date;
  lastAttemptAt: Date | null;
  /** PostgreSQL's time; null once it is delivered or given up. */
  nextAttemptAt: Date | null;
  deliveredAt: Date | null;
  /** Of the message that it tells of; null where it tells of something else. */
  messageId: string | null;
  /** What came of each try, the oldest first, as far as it is known; of many the last ones. */
  tries: DeliveryTry[];
}

/** One try to deliver. */
export interface DeliveryTry {
  /** ISO 8601. */
  at: string;
  /** Null when no answer came. */
  statusCode: number | null;
  /** Why it failed; null when it did not. */
  error: string | null;
  /** The beginning of what was answered; null where that had no words. */
  answer: string | null;
}

/**
 * Of the data a little more than the log shows, and never all of a large one, but where another shape is made of it: the data
 * of a message are as long as a message at the most.
 */
const FORMAT = `coalesce((SELECT format FROM webhooks WHERE webhooks.id = webhook_id), 'standard')`;
const ENTRY = `id, type, ${FORMAT} AS format,
  CASE WHEN ${FORMAT} <> 'standard' THEN data::text ELSE left(data::text, ${LOGGED_BODY_CHARACTERS + 1}) END AS data, occurred_at AS "occurredAt", status,
  attempts, last_status_code AS "lastStatusCode", last_error AS "lastError", created_at AS "createdAt",
  last_attempt_at AS "lastAttemptAt", next_attempt_at AS "nextAttemptAt", delivered_at AS "deliveredAt",
  data->>'messageId' AS "messageId", tries`;

type EntryRow = Omit<DeliveryEntry, 'body' | 'bodyTruncated' | 'tries'> & {
  format: WebhookFormat;
  data: string;
  occurredAt: Date;
  tries: DeliveryTry[] | null;
};

/** The tries of a delivery that kept none: the one that arrived, or of an older version the last one. */
function lastTry({
  lastAttemptAt,
  lastStatusCode,
  lastError,
}: Pick<EntryRow, 'lastAttemptAt' | 'lastStatusCode' | 'lastError'>): DeliveryTry[] {
  if (!lastAttemptAt) return [];
  return [{ at: lastAttemptAt.toISOString(), statusCode: lastStatusCode, error: lastError, answer: null }];
}

function entryOf({ data, occurredAt, format: _told, ...row }: EntryRow, facts: FormatFacts | undefined): DeliveryEntry {
  const body = formatBody(facts, { type: row.type, occurredAt, data });
  const tries = row.tries ?? lastTry(row);
  return {
    ...row,
    tries,
    body: body.slice(0, LOGGED_BODY_CHARACTERS),
    bodyTruncated: body.length > LOGGED_BODY_CHARACTERS,
  };
}

async function entriesOf(place: FactsSource, rows: readonly EntryRow[]): Promise<DeliveryEntry[]> {
  const facts = await findFormatFacts(place, rows);
  return rows.map((row) => entryOf(row, facts.get(row.id)));
}

/** Which deliveries of a webhook are asked for. */
export interface DeliveryFilter {
  webhookId: string;
  /** Null: of any status. */
  status: DeliveryStatus | null;
}

const LIST: PlannedStatement = {
  text: `SELECT ${ENTRY} FROM webhook_deliveries
         WHERE webhook_id = $1 AND ($2::delivery_status IS NULL OR status = $2) AND ($3::uuid IS NULL OR id < $3)
         ORDER BY id DESC LIMIT $4 OFFSET $5`,
};

/**
 * Deliveries of a webhook, the newest first.
 * @param before only those older than this id
 */
export async function listDeliveries(
  place: FactsSource,
  { webhookId, status }: DeliveryFilter,
  { before = null, limit, offset = 0 }: { before?: string | null; limit: number; offset?: number },
): Promise<DeliveryEntry[]> {
  const { rows } = await place.pool.query<EntryRow>({ ...LIST, values: [webhookId, status, before, limit, offset] });
  return entriesOf(place, rows);
}

const INSERT_TEST: PlannedStatement = { text: insertTestEvent(ENTRY) };

/** Queues an event of type `webhook.test`, due at once by PostgreSQL's clock. */
export async function insertTest(
  place: FactsSource,
  {
    id,
    webhookId,
    channelId,
    occurredAt,
  }: { id: string; webhookId: string; channelId: string | null; occurredAt: Date },
): Promise<DeliveryEntry> {
  const values = [id, webhookId, buildEventBody(TEST_EVENT, { webhookId, channelId }), occurredAt.toISOString()];
  const { rows } = await place.pool.query<EntryRow>({ ...INSERT_TEST, values });
  return (await entriesOf(place, rows))[0] as DeliveryEntry;
}

/** Callbacks tell statuses, which hold no address. */
const ofStatuses = (pool: Connection): FactsSource => ({ pool, publicUrl: '' });

const LIST_CALLBACKS: PlannedStatement = {
  text: `SELECT ${ENTRY} FROM webhook_deliveries
         WHERE id IN (SELECT delivery_id FROM message_callbacks WHERE message_id = $1) ORDER BY id DESC`,
};

/** What was sent to the callback URL of a message, the newest first. */
export async function listCallbacks(pool: Connection, messageId: string): Promise<DeliveryEntry[]> {
  const { rows } = await pool.query<EntryRow>({ ...LIST_CALLBACKS, values: [messageId] });
  return entriesOf(ofStatuses(pool), rows);
}

const REQUEUE = `
UPDATE webhook_deliveries SET status = 'pending', failures = 0, next_attempt_at = now(), delivered_at = NULL
WHERE id = $1 AND`;

const REPLAY_CALLBACK: PlannedStatement = {
  text: `${REQUEUE} id IN (SELECT delivery_id FROM message_callbacks WHERE message_id = $2) RETURNING ${ENTRY}`,
};

/** Queues a callback again, due at once; null when the message has no such callback. */
export async function requeueCallback(pool: Connection, messageId: string, id: string): Promise<DeliveryEntry | null> {
  const { rows } = await pool.query<EntryRow>({ ...REPLAY_CALLBACK, values: [id, messageId] });
  return (await entriesOf(ofStatuses(pool), rows))[0] ?? null;
}

const REPLAY: PlannedStatement = {
  text: `${REQUEUE} webhook_id = $2 RETURNING ${ENTRY}`,
};

/** Queues a delivery again, due at once; null when the webhook has no such delivery. */
export async function requeue(place: FactsSource, webhookId: string, id: string): Promise<DeliveryEntry | null> {
  const { rows } = await place.pool.query<EntryRow>({ ...REPLAY, values: [id, webhookId] });
  return (await entriesOf(place, rows))[0] ?? null;
}
