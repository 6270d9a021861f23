import { insertTestEventSql } from '../../messages/events/outbox-store.js';
import { buildEventBody, TEST_EVENT } from '../../messages/events/webhook-events.js';
import type { DeliveryStatus, WebhookFormat } from '../../platform/generated/prisma/client.js';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';
import type { Connection } from '../../platform/store/with-transaction.js';
import { type FactsSource, type FormatFacts, findFormatFacts, formatBody } from './formats.js';

export const LOGGED_BODY_CHARACTERS = 8_192;

export interface DeliveryEntry {
  /** Also its `webhook-id`. */
  id: string;
  type: string;
  /** Cut to LOGGED_BODY_CHARACTERS. */
  body: string;
  bodyTruncated: boolean;
  status: 'pending' | 'delivered' | 'failed';
  attempts: number;
  lastStatusCode: number | null;
  lastError: string | null;
  createdAt: Date;
  lastAttemptAt: Date | null;
  /** By PostgreSQL's clock; null once the delivery has succeeded or failed permanently. */
  nextAttemptAt: Date | null;
  deliveredAt: Date | null;
  messageId: string | null;
  /** Oldest first. */
  tries: DeliveryTry[];
}

export interface DeliveryTry {
  /** ISO 8601. */
  at: string;
  /** Null without a response. */
  statusCode: number | null;
  /** Null if it succeeded. */
  error: string | null;
  /** Start of the response body, or null if the body is not text. */
  answer: string | null;
}

// In the standard format, SQL cuts the data to one character more than the log shows. Other formats are built from the
// complete data, which is at most as long as a message.
const FORMAT_SQL = `coalesce((SELECT format FROM webhooks WHERE webhooks.id = webhook_id), 'standard')`;
const ENTRY_COLUMNS = `id, type, ${FORMAT_SQL} AS format,
  CASE WHEN ${FORMAT_SQL} <> 'standard' THEN data::text ELSE left(data::text, ${LOGGED_BODY_CHARACTERS + 1}) END AS data, occurred_at AS "occurredAt", status,
  attempts, last_status_code AS "lastStatusCode", last_error AS "lastError", created_at AS "createdAt",
  last_attempt_at AS "lastAttemptAt", next_attempt_at AS "nextAttemptAt", delivered_at AS "deliveredAt",
  data->>'messageId' AS "messageId", tries`;

type EntryRow = Omit<DeliveryEntry, 'body' | 'bodyTruncated' | 'tries'> & {
  format: WebhookFormat;
  data: string;
  occurredAt: Date;
  tries: DeliveryTry[] | null;
};

/** A delivery has no recorded attempts if the first attempt succeeded or an older version made the attempts. */
function toLastTry({
  lastAttemptAt,
  lastStatusCode,
  lastError,
}: Pick<EntryRow, 'lastAttemptAt' | 'lastStatusCode' | 'lastError'>): DeliveryTry[] {
  if (!lastAttemptAt) return [];
  return [{ at: lastAttemptAt.toISOString(), statusCode: lastStatusCode, error: lastError, answer: null }];
}

function toEntry(
  { data, occurredAt, format: _format, ...row }: EntryRow,
  facts: FormatFacts | undefined,
): DeliveryEntry {
  const body = formatBody(facts, { type: row.type, occurredAt, data });
  const tries = row.tries ?? toLastTry(row);
  return {
    ...row,
    tries,
    body: body.slice(0, LOGGED_BODY_CHARACTERS),
    bodyTruncated: body.length > LOGGED_BODY_CHARACTERS,
  };
}

async function toEntries(source: FactsSource, rows: readonly EntryRow[]): Promise<DeliveryEntry[]> {
  const facts = await findFormatFacts(source, rows);
  return rows.map((row) => toEntry(row, facts.get(row.id)));
}

export interface DeliveryFilter {
  webhookId: string;
  status: DeliveryStatus | null;
}

const LIST: PlannedStatement = {
  text: `SELECT ${ENTRY_COLUMNS} FROM webhook_deliveries
         WHERE webhook_id = $1 AND ($2::delivery_status IS NULL OR status = $2) AND ($3::uuid IS NULL OR id < $3)
         ORDER BY id DESC LIMIT $4 OFFSET $5`,
};

/** Lists deliveries older than the ID `before`, newest first. */
export async function listDeliveries(
  source: FactsSource,
  { webhookId, status }: DeliveryFilter,
  { before = null, limit, offset = 0 }: { before?: string | null; limit: number; offset?: number },
): Promise<DeliveryEntry[]> {
  const { rows } = await source.pool.query<EntryRow>({ ...LIST, values: [webhookId, status, before, limit, offset] });
  return toEntries(source, rows);
}

const INSERT_TEST: PlannedStatement = { text: insertTestEventSql(ENTRY_COLUMNS) };

export async function insertTest(
  source: FactsSource,
  {
    id,
    webhookId,
    channelId,
    occurredAt,
  }: { id: string; webhookId: string; channelId: string | null; occurredAt: Date },
): Promise<DeliveryEntry> {
  const values = [id, webhookId, buildEventBody(TEST_EVENT, { webhookId, channelId }), occurredAt.toISOString()];
  const { rows } = await source.pool.query<EntryRow>({ ...INSERT_TEST, values });
  return (await toEntries(source, rows))[0] as DeliveryEntry;
}

/** Callbacks need no `publicUrl`, because they report only statuses, whose bodies contain no URL of this server. */
const toCallbackSource = (pool: Connection): FactsSource => ({ pool, publicUrl: '' });

const LIST_CALLBACKS: PlannedStatement = {
  text: `SELECT ${ENTRY_COLUMNS} FROM webhook_deliveries
         WHERE id IN (SELECT delivery_id FROM message_callbacks WHERE message_id = $1) ORDER BY id DESC`,
};

/** Newest first. */
export async function listCallbacks(pool: Connection, messageId: string): Promise<DeliveryEntry[]> {
  const { rows } = await pool.query<EntryRow>({ ...LIST_CALLBACKS, values: [messageId] });
  return toEntries(toCallbackSource(pool), rows);
}

const REQUEUE = `
UPDATE webhook_deliveries SET status = 'pending', failures = 0, next_attempt_at = now(), delivered_at = NULL
WHERE id = $1 AND`;

const REPLAY_CALLBACK: PlannedStatement = {
  text: `${REQUEUE} id IN (SELECT delivery_id FROM message_callbacks WHERE message_id = $2) RETURNING ${ENTRY_COLUMNS}`,
};

export async function requeueCallback(pool: Connection, messageId: string, id: string): Promise<DeliveryEntry | null> {
  const { rows } = await pool.query<EntryRow>({ ...REPLAY_CALLBACK, values: [id, messageId] });
  return (await toEntries(toCallbackSource(pool), rows))[0] ?? null;
}

const REPLAY: PlannedStatement = {
  text: `${REQUEUE} webhook_id = $2 RETURNING ${ENTRY_COLUMNS}`,
};

export async function requeue(source: FactsSource, webhookId: string, id: string): Promise<DeliveryEntry | null> {
  const { rows } = await source.pool.query<EntryRow>({ ...REPLAY, values: [id, webhookId] });
  return (await toEntries(source, rows))[0] ?? null;
}
