import type pg from 'pg';
import { EVENT_TYPES, WEBHOOK_EVENTS } from '../../messages/events/webhook-events.js';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';
import type { Person } from './person.js';
import { SCAN_ROWS } from './place.js';
import { digitsIn, writtenDigits } from './written-sql.js';

/** Those of a stretch of a log that tell of a person, and where the next stretch begins; null behind the last. */
export interface Found {
  rows: string[];
  next: string | null;
}

/**
 * Reads a stretch of a log by its primary key: no index leads from a number to its rows.
 * @param of condition on a row `log` of the stretch, with $2 and further
 */
function stretchOf(table: string, columns: string, of: string): PlannedStatement {
  return {
    text: `WITH log AS MATERIALIZED (
             SELECT id, ${columns} FROM ${table} WHERE id > $1::uuid ORDER BY id LIMIT ${SCAN_ROWS})
           SELECT array(SELECT id::text FROM log WHERE ${of}) AS rows,
             (SELECT id::text FROM log ORDER BY id OFFSET ${SCAN_ROWS - 1}) AS next`,
  };
}

async function read(pool: pg.Pool, statement: PlannedStatement, values: readonly unknown[]): Promise<Found> {
  const { rows } = await pool.query<Found>({ ...statement, values: [...values] });
  return rows[0] as Found;
}

/** The types of the events whose `data` holds an address or a contact ID in a field. */
function typesWith(kind: 'addressFields' | 'contactIdFields', field: string): string {
  const types = EVENT_TYPES.filter((type) => (WEBHOOK_EVENTS[type][kind] as readonly string[]).includes(field));
  return types.map((type) => `'${type}'`).join(', ');
}

function fieldsWith(kind: 'addressFields' | 'contactIdFields'): string[] {
  return [...new Set(EVENT_TYPES.flatMap((type): readonly string[] => WEBHOOK_EVENTS[type][kind]))];
}

const NAMES_PERSON = [
  ...fieldsWith('addressFields').map((field) => `data ->> '${field}' = $2 AND type IN (${typesWith('addressFields', field)})`),
  "data ->> 'phone' = $2",
  "data ->> 'userId' = $2",
  ...fieldsWith('contactIdFields').map(
    (field) => `data ->> '${field}' = ANY($3::text[]) AND type IN (${typesWith('contactIdFields', field)})`,
  ),
].join(' OR ');

/** Does not find a `message.status` again that was erased before, because its `to` is another one since then. */
const DELIVERIES = stretchOf(
  'webhook_deliveries',
  'webhook_id, type, data',
  `($4::uuid[] IS NULL OR webhook_id IN (SELECT id FROM webhooks WHERE account_id = ANY($4::uuid[])))
   AND (${NAMES_PERSON})`,
);

/** Events about a person in a stretch of the outbox and its log. */
export function findDeliveries(pool: pg.Pool, person: Person, after: string): Promise<Found> {
  const { phone, contactIds, everywhere, accountIds } = person;
  return read(pool, DELIVERIES, [after, phone, contactIds, everywhere ? null : accountIds]);
}

const REQUESTS = stretchOf(
  'api_requests',
  'channel_id, endpoint',
  'channel_id = ANY($3::uuid[]) AND position($2 in endpoint) > 0',
);

/** Requests of the channels, in a stretch of their log, whose path names the number. */
export function findRequests(pool: pg.Pool, { phone, channelIds }: Person, after: string): Promise<Found> {
  return read(pool, REQUESTS, [after, phone, channelIds]);
}

const BLANK_REQUESTS: PlannedStatement = {
  text: `UPDATE api_requests SET endpoint = replace(endpoint, $2, 'erased') WHERE id = ANY($1::uuid[])`,
};

/** Takes the number out of paths of requests. */
export async function blankRequests(client: pg.PoolClient, phone: string, ids: readonly string[]): Promise<void> {
  await client.query({ ...BLANK_REQUESTS, values: [ids, phone] });
}

/** Commands noted a number as it was typed. $4 is all that its digits may be then; a user id has letters. */
const AUDIT_LINES: PlannedStatement = {
  text: `SELECT id FROM audit_log
         WHERE account_id = ANY($1::uuid[]) AND (
           action LIKE 'opt-out.%' AND (subject = $2
             OR subject !~* '^(?!tel:).*[a-z]' AND ltrim(${digitsIn('subject')}, '0') = ANY($4::text[]))
           OR action LIKE 'contact.%' AND (before IS NOT NULL OR after IS NOT NULL)
             AND (subject = ANY($3::text[]) OR before ->> 'phone' = $2 OR after ->> 'phone' = $2))
         ORDER BY id LIMIT ${SCAN_ROWS}`,
};

/** Lines of the audit log that tell the number, or what a contact with it was called. */
export async function findAuditLines(pool: pg.Pool, person: Person): Promise<string[]> {
  const values = [person.accountIds, person.phone, person.contactIds, writtenDigits(person)];
  const { rows } = await pool.query<{ id: string }>({ ...AUDIT_LINES, values });
  return rows.map(({ id }) => id);
}

const BLANK_AUDIT_LINES: PlannedStatement = {
  text: `UPDATE audit_log SET subject = CASE WHEN action LIKE 'opt-out.%' THEN 'erased' ELSE subject END,
           before = CASE WHEN action LIKE 'opt-out.%' THEN before END,
           after = CASE WHEN action LIKE 'opt-out.%' THEN after END
         WHERE id = ANY($1::uuid[])`,
};

/** Leaves who did what and when, and to which id. */
export async function blankAuditLines(client: pg.PoolClient, ids: readonly string[]): Promise<void> {
  await client.query({ ...BLANK_AUDIT_LINES, values: [ids] });
}
