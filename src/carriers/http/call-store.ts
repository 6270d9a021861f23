import type pg from 'pg';
import type { PrismaClient } from '../../platform/generated/prisma/client.js';
import type { PlannedStatement, Statement } from '../../platform/store/connections/pool.js';
import { storableJson } from '../../platform/store/storable.js';
import type { ToldCall } from './told-call.js';

/** A call of a carrier over HTTP, without secrets. */
export interface LoggedCall extends ToldCall {
  /** UUIDv7, of the moment at which it ended. */
  id: string;
  carrier: string;
  /** When it began. */
  at: Date;
  /** Which it was to send; null: it sent none. */
  messageId: string | null;
  /** Not answered with a status from 200 to 299. */
  failed: boolean;
}

/** A message of which a person's traces were erased meanwhile, with the country's calling code as its recipient, is not told of. */
const WRITE: Statement = {
  name: 'carrier-calls-write',
  text: `
INSERT INTO carrier_calls (id, carrier, at, milliseconds, message_id, method, url, request, status, answer, failure, failed)
SELECT c.id, c.carrier, c.at, c.milliseconds, c."messageId", c.method, c.url, c.request, c.status, c.answer, c.failure, c.failed
FROM jsonb_to_recordset($1::jsonb) AS c(id uuid, carrier text, at timestamptz, milliseconds int, "messageId" uuid, method text,
  url text, request text, status int, answer text, failure text, failed bool)
WHERE NOT EXISTS (SELECT FROM messages m WHERE m.id = c."messageId" AND length(m.recipient) <= 3)
ON CONFLICT (id) DO NOTHING`,
};

/** Stores calls; those that are stored already stay as they are. */
export async function writeCalls(pool: pg.Pool, calls: readonly LoggedCall[]): Promise<void> {
  await pool.query({ ...WRITE, values: [JSON.stringify(storableJson(calls))] });
}

/** A call as operators read it. */
export interface FoundCall extends Omit<LoggedCall, 'carrier'> {
  /** Whose message it was to send; null where it sent none, or where that is gone. */
  accountId: string | null;
}

export interface CallFilter {
  /** Only calls that failed. */
  failed?: boolean;
  /** Only those of one message. */
  messageId?: string;
}

/** Calls of a carrier, the newest first. @param page at most so many, and only those before an id */
export function findCalls(
  prisma: Pick<PrismaClient, '$queryRaw'>,
  carrier: string,
  { failed = false, messageId }: CallFilter,
  { limit, before }: { limit: number; before: string | null },
): Promise<FoundCall[]> {
  return prisma.$queryRaw<FoundCall[]>`
    SELECT id, at, milliseconds, message_id AS "messageId", method, url, request, status, answer, failure, failed,
           (SELECT account_id FROM messages m WHERE m.id = message_id) AS "accountId"
    FROM carrier_calls
    WHERE carrier = ${carrier} AND (failed OR NOT ${failed}) AND (${before}::uuid IS NULL OR id < ${before}::uuid)
      AND (${messageId ?? null}::uuid IS NULL OR message_id = ${messageId ?? null}::uuid)
    ORDER BY id DESC LIMIT ${limit}`;
}

/** How the calls of a carrier went lately. */
export interface CallHealth {
  carrier: string;
  calls: number;
  failed: number;
  /** The last that failed, as `findCalls` tells it; null where none did. */
  last: Pick<LoggedCall, 'method' | 'url' | 'status' | 'failure'> | null;
}

const HEALTH: PlannedStatement = {
  text: `
SELECT carrier, count(*)::int AS calls, (count(*) FILTER (WHERE failed))::int AS failed,
       (array_agg(json_build_object('method', method, 'url', url, 'status', status, 'failure', failure) ORDER BY id DESC)
         FILTER (WHERE failed))[1] AS last
FROM carrier_calls WHERE at > now() - $1 * interval '1 second' GROUP BY carrier ORDER BY carrier`,
};

/** How the calls of each carrier went within so many seconds; carriers without one are left out. */
export async function readCallHealth(pool: Pick<pg.Pool, 'query'>, seconds: number): Promise<CallHealth[]> {
  const { rows } = await pool.query<CallHealth>({ ...HEALTH, values: [seconds] });
  return rows;
}

/** Forgets the calls by which messages were sent. */
export async function forgetCallsOf(client: pg.PoolClient, messageIds: readonly string[]): Promise<void> {
  await client.query('DELETE FROM carrier_calls WHERE message_id = ANY($1::uuid[])', [messageIds]);
}
