import type pg from 'pg';
import { blankStatusSql } from '../../messages/events/bodies-sql.js';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';

const FORGET_CALLBACKS: PlannedStatement = {
  text: `WITH told AS (DELETE FROM message_callbacks WHERE message_id = ANY($1::uuid[]) RETURNING delivery_id)
         DELETE FROM webhook_deliveries WHERE id IN (SELECT delivery_id FROM told)`,
};

/** Deletes what goes to the addresses that the sends of messages named. */
export async function forgetCallbacks(client: pg.PoolClient, messageIds: readonly string[]): Promise<void> {
  await client.query({ ...FORGET_CALLBACKS, values: [messageIds] });
}

const BLANK_STATUSES_OF: PlannedStatement = {
  text: `UPDATE webhook_deliveries SET data = ${blankStatusSql('$2::text')}
         WHERE type = 'message.status' AND (data ->> 'messageId')::uuid = ANY($1::uuid[])`,
};

/** Takes the person out of events that tell of the statuses of messages. */
export async function blankStatusesOf(
  client: pg.PoolClient,
  callingCode: string,
  messageIds: readonly string[],
): Promise<void> {
  await client.query({ ...BLANK_STATUSES_OF, values: [messageIds, callingCode] });
}

const BLANK_STATUSES: PlannedStatement = {
  text: `UPDATE webhook_deliveries SET data = ${blankStatusSql('$2::text')}
         WHERE id = ANY($1::uuid[]) AND type = 'message.status' AND url IS NULL`,
};

/** What a person wrote, what was told of the contact, and what goes to an address that a send named. */
const FORGET_EVENTS: PlannedStatement = {
  text: `DELETE FROM webhook_deliveries WHERE id = ANY($1::uuid[]) AND (type <> 'message.status' OR url IS NOT NULL)`,
};

/** Blanks events of statuses, so that they are still told, and deletes the others. */
export async function forgetDeliveries(
  client: pg.PoolClient,
  callingCode: string,
  ids: readonly string[],
): Promise<void> {
  await client.query({ ...BLANK_STATUSES, values: [ids, callingCode] });
  await client.query({ ...FORGET_EVENTS, values: [ids] });
}
