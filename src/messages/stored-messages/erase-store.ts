import type pg from 'pg';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';
import { ERASED_COLUMNS } from '../accept/message-columns.js';

const LOCK_SUBMITTED: PlannedStatement = {
  text: `SELECT id FROM messages WHERE id = ANY($1::uuid[]) AND status NOT IN ('queued', 'sending')
         ORDER BY id FOR NO KEY UPDATE`,
};

/** Skips messages that are still to be sent. */
export async function lockSubmittedMessages(client: pg.PoolClient, messageIds: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>({ ...LOCK_SUBMITTED, values: [messageIds] });
  return rows.map(({ id }) => id);
}

const ERASE_REFERENCES: readonly PlannedStatement[] = [
  {
    text: `DELETE FROM message_references r USING messages m
           WHERE m.id = ANY($1::uuid[]) AND r.account_id = m.account_id AND r.reference = m.reference AND r.message_id = m.id`,
  },
  // Meta's message IDs contain the recipient's number in Base64. After the reference of an echo is deleted, no later report can
  // restore the erased text.
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
  // Carriers' error texts may contain the recipient's number.
  {
    text: 'UPDATE message_parts SET error_message = NULL WHERE message_id = ANY($1::uuid[]) AND error_message IS NOT NULL',
  },
  { text: `UPDATE message_tries SET error_message = '' WHERE message_id = ANY($1::uuid[])` },
  // Holds name the time zone of the contact.
  { text: 'DELETE FROM message_holds WHERE message_id = ANY($1::uuid[])' },
  // Receipts are deleted because Meta's message IDs contain the recipient's number.
  { text: 'DELETE FROM superseded_receipts WHERE message_id = ANY($1::uuid[])' },
];

/** Call before `eraseMessageFields`. */
export async function eraseReferences(client: pg.PoolClient, messageIds: readonly string[]): Promise<void> {
  for (const statement of ERASE_REFERENCES) await client.query({ ...statement, values: [messageIds] });
}

const ERASE_FIELDS: PlannedStatement = {
  text: `UPDATE messages SET ${ERASED_COLUMNS}, error_message = NULL,
           carrier_message_id = CASE kind WHEN 'sms' THEN carrier_message_id END
         WHERE id = ANY($1::uuid[])`,
};

export async function eraseMessageFields(
  client: pg.PoolClient,
  callingCode: string,
  messageIds: readonly string[],
): Promise<void> {
  await client.query({ ...ERASE_FIELDS, values: [messageIds, callingCode] });
}
