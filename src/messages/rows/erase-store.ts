import type pg from 'pg';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';
import { ERASED_COLUMNS } from '../accept/message-columns.js';

const LOCK: PlannedStatement = {
  text: `SELECT id FROM messages WHERE id = ANY($1::uuid[]) AND status NOT IN ('queued', 'sending')
         ORDER BY id FOR NO KEY UPDATE`,
};

/**
 * Locks those of some messages that nothing sends any more: who moves one of them waits.
 * @returns their ids
 */
export async function lockSettled(client: pg.PoolClient, messageIds: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>({ ...LOCK, values: [messageIds] });
  return rows.map(({ id }) => id);
}

const FORGET: readonly PlannedStatement[] = [
  {
    text: `DELETE FROM message_references r USING messages m
           WHERE m.id = ANY($1::uuid[]) AND r.account_id = m.account_id AND r.reference = m.reference AND r.message_id = m.id`,
  },
  // Meta's ids hold the number, in base64. Its receipts name ours as well, so they are still found. What was sent elsewhere has a
  // reference of its own name, by which it would be filled again.
  {
    text: `DELETE FROM carrier_references r USING messages m
           WHERE m.id = ANY($1::uuid[]) AND m.kind = 'whatsapp'
             AND r.carrier = m.carrier
             AND r.carrier_message_id = ANY (ARRAY[m.carrier_message_id, 'echo ' || m.carrier_message_id])`,
  },
  {
    text: `DELETE FROM early_receipts r USING messages m
           WHERE m.id = ANY($1::uuid[]) AND m.kind = 'whatsapp'
             AND r.carrier = m.carrier AND r.carrier_message_id = m.carrier_message_id`,
  },
  // What carriers said of them may name the number.
  {
    text: 'UPDATE message_parts SET error_message = NULL WHERE message_id = ANY($1::uuid[]) AND error_message IS NOT NULL',
  },
  { text: `UPDATE message_tries SET error_message = '' WHERE message_id = ANY($1::uuid[])` },
  // Their IDs of a WhatsApp message hold the number too.
  { text: 'DELETE FROM superseded_receipts WHERE message_id = ANY($1::uuid[])' },
];

/** Erases what finds messages that are locked, and what was said of them. Before `blankRows`, which it is found by. */
export async function forgetTraces(client: pg.PoolClient, messageIds: readonly string[]): Promise<void> {
  for (const statement of FORGET) await client.query({ ...statement, values: [messageIds] });
}

const BLANK: PlannedStatement = {
  text: `UPDATE messages SET ${ERASED_COLUMNS}, error_message = NULL,
           carrier_message_id = CASE kind WHEN 'sms' THEN carrier_message_id END
         WHERE id = ANY($1::uuid[])`,
};

/** Takes number, texts and notes out of messages. */
export async function blankRows(
  client: pg.PoolClient,
  callingCode: string,
  messageIds: readonly string[],
): Promise<void> {
  await client.query({ ...BLANK, values: [messageIds, callingCode] });
}
