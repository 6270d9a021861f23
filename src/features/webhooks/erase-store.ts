import type pg from 'pg';
import { blankStatusSql } from '../../messages/events/bodies-sql.js';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';

const FORGET_CALLBACKS: PlannedStatement = {
  text: `WITH deleted AS (DELETE FROM message_callbacks WHERE message_id = ANY($1::uuid[]) RETURNING delivery_id)
         DELETE FROM webhook_deliveries WHERE id IN (SELECT delivery_id FROM deleted)`,
};

export async function forgetCallbacks(client: pg.PoolClient, messageIds: readonly string[]): Promise<void> {
  await client.query({ ...FORGET_CALLBACKS, values: [messageIds] });
}

const BLANK_MESSAGE_STATUSES: PlannedStatement = {
  text: `UPDATE webhook_deliveries SET data = ${blankStatusSql('$2::text')}
         WHERE type = 'message.status' AND (data ->> 'messageId')::uuid = ANY($1::uuid[])`,
};

export async function blankMessageStatuses(
  client: pg.PoolClient,
  callingCode: string,
  messageIds: readonly string[],
): Promise<void> {
  await client.query({ ...BLANK_MESSAGE_STATUSES, values: [messageIds, callingCode] });
}

const BLANK_STATUSES: PlannedStatement = {
  text: `UPDATE webhook_deliveries SET data = ${blankStatusSql('$2::text')}
         WHERE id = ANY($1::uuid[]) AND type = 'message.status' AND url IS NULL`,
};

const FORGET_EVENTS: PlannedStatement = {
  text: `DELETE FROM webhook_deliveries WHERE id = ANY($1::uuid[]) AND (type <> 'message.status' OR url IS NOT NULL)`,
};

/** Blanked `message.status` events are still delivered, but other events about the person are deleted. */
export async function forgetDeliveries(
  client: pg.PoolClient,
  callingCode: string,
  ids: readonly string[],
): Promise<void> {
  await client.query({ ...BLANK_STATUSES, values: [ids, callingCode] });
  await client.query({ ...FORGET_EVENTS, values: [ids] });
}
