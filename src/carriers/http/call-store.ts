import type pg from 'pg';
import type { PrismaClient } from '../../platform/generated/prisma/client.js';
import type { PlannedStatement, Statement } from '../../platform/store/connections/pool.js';
import { toStorableJson } from '../../platform/store/storable.js';
import type { RedactedCall } from './redacted-call.js';

/** Contains no secrets. */
export interface LoggedCall extends RedactedCall {
  id: string;
  carrier: string;
  /** Start time. */
  at: Date;
  messageId: string | null;
  failed: boolean;
}

/** Calls for erased people are skipped; such a person's stored number is only a calling code. */
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

/** Ignores calls already stored. */
export async function writeCalls(pool: pg.Pool, calls: readonly LoggedCall[]): Promise<void> {
  await pool.query({ ...WRITE, values: [JSON.stringify(toStorableJson(calls))] });
}

export interface FoundCall extends Omit<LoggedCall, 'carrier'> {
  /** Account of the message that the call sent; null if there was no message or it was deleted. */
  accountId: string | null;
}

export interface CallFilter {
  failed?: boolean;
  messageId?: string;
}

/** Returns calls older than the ID `before`, newest first. */
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

export interface CallHealth {
  carrier: string;
  calls: number;
  failed: number;
  last: Pick<LoggedCall, 'method' | 'url' | 'status' | 'failure'> | null;
}

const HEALTH: PlannedStatement = {
  text: `
SELECT carrier, count(*)::int AS calls, (count(*) FILTER (WHERE failed))::int AS failed,
       (array_agg(json_build_object('method', method, 'url', url, 'status', status, 'failure', failure) ORDER BY id DESC)
         FILTER (WHERE failed))[1] AS last
FROM carrier_calls WHERE at > now() - $1 * interval '1 second' GROUP BY carrier ORDER BY carrier`,
};

export async function readCallHealth(pool: Pick<pg.Pool, 'query'>, seconds: number): Promise<CallHealth[]> {
  const { rows } = await pool.query<CallHealth>({ ...HEALTH, values: [seconds] });
  return rows;
}

export async function deleteMessageCalls(client: pg.PoolClient, messageIds: readonly string[]): Promise<void> {
  await client.query('DELETE FROM carrier_calls WHERE message_id = ANY($1::uuid[])', [messageIds]);
}
