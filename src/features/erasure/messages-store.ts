import type pg from 'pg';
import { ERASED_COLUMNS } from '../../messages/accept/message-columns.js';
import { bordersOfStore } from '../../messages/search/number-store.js';
import { lowestIdAt, timeOfId } from '../../platform/ids.js';
import type { PlannedStatement } from '../../platform/store/pool.js';

/** The oldest id of the store, and one above its newest; null when it holds no message. */
export async function findBorders(pool: pg.Pool): Promise<{ first: string; above: string } | null> {
  const borders = await bordersOfStore(pool);
  if (borders === null) return null;
  return { first: borders.first, above: lowestIdAt(new Date(timeOfId(borders.last).getTime() + 1)) };
}

/** Who moves one of them waits; what they tell of it before is found below, what they tell afterwards is blank. */
const LOCK: PlannedStatement = {
  text: `SELECT id FROM messages WHERE id = ANY($1::uuid[]) AND status NOT IN ('queued', 'sending')
         ORDER BY id FOR NO KEY UPDATE`,
};

const FORGET_REFERENCES: PlannedStatement = {
  text: `DELETE FROM message_references r USING messages m
         WHERE m.id = ANY($1::uuid[]) AND r.account_id = m.account_id AND r.reference = m.reference AND r.message_id = m.id`,
};

/** Meta's ids hold the number, in base64. Its receipts name ours as well, so they are still found. */
const FORGET_CARRIER_IDS: readonly PlannedStatement[] = ['carrier_references', 'early_receipts'].map((table) => ({
  text: `DELETE FROM ${table} r USING messages m
         WHERE m.id = ANY($1::uuid[]) AND m.kind = 'whatsapp'
           AND r.carrier = m.carrier AND r.carrier_message_id = m.carrier_message_id`,
}));

/** What carriers said of them may name the number. */
const FORGET_ERRORS: readonly PlannedStatement[] = [
  {
    text: 'UPDATE message_parts SET error_message = NULL WHERE message_id = ANY($1::uuid[]) AND error_message IS NOT NULL',
  },
  { text: `UPDATE message_tries SET error_message = '' WHERE message_id = ANY($1::uuid[])` },
  // One that is due would be sent.
  { text: 'UPDATE fallbacks SET error_message = NULL, next_look = NULL WHERE message_id = ANY($1::uuid[])' },
];

const FORGET_CALLBACKS: PlannedStatement = {
  text: `WITH told AS (DELETE FROM message_callbacks WHERE message_id = ANY($1::uuid[]) RETURNING delivery_id)
         DELETE FROM webhook_deliveries WHERE id IN (SELECT delivery_id FROM told)`,
};

/** What is left of the event of a status: whose endpoint waits for it is told which message came to what. */
export const BLANK_STATUS_EVENT = (callingCode: string) =>
  `data || jsonb_build_object('to', ${callingCode}, 'errorMessage', NULL, 'reference', NULL, 'metadata', NULL)
   || CASE WHEN data ->> 'channel' = 'whatsapp' THEN '{"carrierMessageId": null}'::jsonb ELSE '{}'::jsonb END`;

const BLANK_EVENTS: PlannedStatement = {
  text: `UPDATE webhook_deliveries SET data = ${BLANK_STATUS_EVENT('$2::text')}
         WHERE type = 'message.status' AND (data ->> 'messageId')::uuid = ANY($1::uuid[])`,
};

const BLANK: PlannedStatement = {
  text: `UPDATE messages SET ${ERASED_COLUMNS}, error_message = NULL,
           carrier_message_id = CASE kind WHEN 'sms' THEN carrier_message_id END
         WHERE id = ANY($1::uuid[])`,
};

/** Takes number, texts and notes out of messages that nothing sends any more, and out of all that tells of them. */
export async function blankMessages(
  client: pg.PoolClient,
  callingCode: string,
  messageIds: readonly string[],
): Promise<void> {
  const locked = await client.query<{ id: string }>({ ...LOCK, values: [messageIds] });
  const ids = locked.rows.map(({ id }) => id);
  const all = [FORGET_REFERENCES, ...FORGET_CARRIER_IDS, ...FORGET_ERRORS, FORGET_CALLBACKS];
  for (const statement of all) await client.query({ ...statement, values: [ids] });
  for (const statement of [BLANK_EVENTS, BLANK]) await client.query({ ...statement, values: [ids, callingCode] });
}
