import type pg from 'pg';
import { EVENT_TYPES, WEBHOOK_EVENTS } from '../../messages/events/webhook-events.js';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';
import type { Person } from './person.js';
import { SCAN_ROWS } from './trace.js';
import { digitsSql, listWrittenDigits } from './written-number-sql.js';

interface LogSlice {
  rows: string[];
  next: string | null;
}

/**
 * Reads a slice of a log, starting after the ID in $1. The statement scans the primary key, because log tables have no
 * index by number.
 * @param condition SQL that may use $2 and further parameters
 */
function scanLog(table: string, columns: string, condition: string): PlannedStatement {
  return {
    text: `WITH log AS MATERIALIZED (
             SELECT id, ${columns} FROM ${table} WHERE id > $1::uuid ORDER BY id LIMIT ${SCAN_ROWS})
           SELECT array(SELECT id::text FROM log WHERE ${condition}) AS rows,
             (SELECT id::text FROM log ORDER BY id OFFSET ${SCAN_ROWS - 1}) AS next`,
  };
}

async function readSlice(pool: pg.Pool, statement: PlannedStatement, values: readonly unknown[]): Promise<LogSlice> {
  const { rows } = await pool.query<LogSlice>({ ...statement, values: [...values] });
  return rows[0] as LogSlice;
}

type PersonFields = 'addressFields' | 'contactIdFields';

function listTypes(kind: PersonFields, field: string): string {
  const types = EVENT_TYPES.filter((type) => (WEBHOOK_EVENTS[type][kind] as readonly string[]).includes(field));
  return types.map((type) => `'${type}'`).join(', ');
}

function listFields(kind: PersonFields): string[] {
  return [...new Set(EVENT_TYPES.flatMap((type): readonly string[] => WEBHOOK_EVENTS[type][kind]))];
}

const NAMES_PERSON_SQL = [
  ...listFields('addressFields').map(
    (field) => `data ->> '${field}' = $2 AND type IN (${listTypes('addressFields', field)})`,
  ),
  "data ->> 'phone' = $2",
  "data ->> 'userId' = $2",
  ...listFields('contactIdFields').map(
    (field) => `data ->> '${field}' = ANY($3::text[]) AND type IN (${listTypes('contactIdFields', field)})`,
  ),
].join(' OR ');

/**
 * An erased `message.status` event contains only the calling code in `to`, so the query does not find the event again.
 */
const FIND_DELIVERIES = scanLog(
  'webhook_deliveries',
  'webhook_id, type, data',
  `($4::uuid[] IS NULL OR webhook_id IN (SELECT id FROM webhooks WHERE account_id = ANY($4::uuid[])))
   AND (${NAMES_PERSON_SQL})`,
);

export function findDeliveries(pool: pg.Pool, person: Person, after: string): Promise<LogSlice> {
  const { address, contactIds, coversAllAccounts, accountIds } = person;
  return readSlice(pool, FIND_DELIVERIES, [after, address, contactIds, coversAllAccounts ? null : accountIds]);
}

const FIND_REQUESTS = scanLog(
  'api_requests',
  'channel_id, endpoint',
  'channel_id = ANY($3::uuid[]) AND position($2 in endpoint) > 0',
);

export function findRequests(pool: pg.Pool, { address, channelIds }: Person, after: string): Promise<LogSlice> {
  return readSlice(pool, FIND_REQUESTS, [after, address, channelIds]);
}

const BLANK_REQUESTS: PlannedStatement = {
  text: `UPDATE api_requests SET endpoint = replace(endpoint, $2, 'erased') WHERE id = ANY($1::uuid[])`,
};

export async function blankRequests(client: pg.PoolClient, address: string, ids: readonly string[]): Promise<void> {
  await client.query({ ...BLANK_REQUESTS, values: [ids, address] });
}

/**
 * $4 contains the digits of each written form of the number, because commands logged numbers as they were typed. A
 * subject with letters is a user ID, not a number.
 */
const FIND_AUDIT_LINES: PlannedStatement = {
  text: `SELECT id FROM audit_log
         WHERE account_id = ANY($1::uuid[]) AND (
           action LIKE 'opt-out.%' AND (subject = $2
             OR subject !~* '^(?!tel:).*[a-z]' AND ltrim(${digitsSql('subject')}, '0') = ANY($4::text[]))
           OR action LIKE 'contact.%' AND (before IS NOT NULL OR after IS NOT NULL)
             AND (subject = ANY($3::text[]) OR before ->> 'phone' = $2 OR after ->> 'phone' = $2))
         ORDER BY id LIMIT ${SCAN_ROWS}`,
};

export async function findAuditLines(pool: pg.Pool, person: Person): Promise<string[]> {
  const values = [person.accountIds, person.address, person.contactIds, listWrittenDigits(person)];
  const { rows } = await pool.query<{ id: string }>({ ...FIND_AUDIT_LINES, values });
  return rows.map(({ id }) => id);
}

const BLANK_AUDIT_LINES: PlannedStatement = {
  text: `UPDATE audit_log SET subject = CASE WHEN action LIKE 'opt-out.%' THEN 'erased' ELSE subject END,
           before = CASE WHEN action LIKE 'opt-out.%' THEN before END,
           after = CASE WHEN action LIKE 'opt-out.%' THEN after END
         WHERE id = ANY($1::uuid[])`,
};

/** Keeps the actor, action and time of each audit log entry, and the contact's ID. */
export async function blankAuditLines(client: pg.PoolClient, ids: readonly string[]): Promise<void> {
  await client.query({ ...BLANK_AUDIT_LINES, values: [ids] });
}
