import type pg from 'pg';
import { inTransaction, type PlannedStatement } from '../../platform/store/pool.js';
import { repeated } from '../../platform/store/repeat.js';
import { removeMediaOf, removeMediaOfContact } from '../media/media-store.js';
import { ERASED_CARRIER_ID } from './inbound-store.js';

/** What emptying leaves of a message: that there was one. */
const EMPTIED = `conversation_id = NULL, body = '', payload = '{}'`;

/** Meta's id of a message holds the number, in base64. Its hash still tells a repeated report. */
const EMPTY: PlannedStatement = {
  text: `UPDATE inbound_messages SET ${EMPTIED}, carrier_message_id = ${ERASED_CARRIER_ID('carrier_message_id')}
         WHERE id = ANY($1::uuid[])`,
};

/** Empties inbound messages, deletes their files, and takes them out of their conversation. */
export async function emptyInbound(client: pg.PoolClient, ids: readonly string[]): Promise<void> {
  await removeMediaOf(client, ids);
  await client.query({ ...EMPTY, values: [ids] });
}

const EMPTY_OF_CONTACT: PlannedStatement = {
  text: `UPDATE inbound_messages SET ${EMPTIED}
         WHERE conversation_id IN (SELECT id FROM conversations WHERE contact_id = $1)`,
};

/** Does so with those of a contact that is being deleted; the ids that carriers gave them stay. */
export async function emptyInboundOf(client: pg.PoolClient, contactId: string): Promise<void> {
  await removeMediaOfContact(client, contactId);
  await client.query({ ...EMPTY_OF_CONTACT, values: [contactId] });
}

/** A message of an account. */
interface Which {
  id: string;
  accountId: string;
}

const REDACT: PlannedStatement = {
  text: `UPDATE inbound_messages SET body = '', payload = '{}' WHERE id = $1 AND account_id = $2`,
};

/** Empties a message that a contact wrote, and deletes its file; it stays in its conversation. */
export function redactInbound(pool: pg.Pool, which: Which): Promise<void> {
  return ofOne(pool, REDACT, which, (client) => removeMediaOf(client, [which.id]));
}

const OWN: PlannedStatement = { text: 'SELECT 1 FROM inbound_messages WHERE id = $1 AND account_id = $2' };

/** Deletes a message that a contact wrote. Until no carrier reports it again, it is known that it came. */
export function deleteInbound(pool: pg.Pool, which: Which): Promise<void> {
  return ofOne(pool, OWN, which, (client) => emptyInbound(client, [which.id]));
}

function ofOne(
  pool: pg.Pool,
  statement: PlannedStatement,
  { id, accountId }: Which,
  then: (client: pg.PoolClient) => Promise<void>,
): Promise<void> {
  return repeated(() =>
    inTransaction(pool, async (client) => {
      const { rowCount } = await client.query({ ...statement, values: [id, accountId] });
      if (rowCount === 1) await then(client);
    }),
  );
}
