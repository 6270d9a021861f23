import type pg from 'pg';
import { leaveDeletedContacts } from '../../../messages/rows/party-store.js';
import { inTransaction, type PlannedStatement, type Statement } from '../../../platform/store/connections/pool.js';
import { repeated } from '../../../platform/store/repeat.js';
import { inSteps, type SweepOptions } from '../../../platform/store/sweep.js';
import { type NamedConversation, openNamed } from './known-contacts-store.js';

const NOTE: Statement = {
  name: 'named-conversations-note',
  text: 'INSERT INTO named_conversations (id, contact_id) SELECT * FROM unnest($1::uuid[], $2::uuid[])',
};

/** Notes conversations that messages are about to name, so that they are made even if this process dies in between. */
export async function noteNamed(pool: pg.Pool, named: readonly NamedConversation[]): Promise<void> {
  await pool.query({ ...NOTE, values: [named.map(({ id }) => id), named.map(({ contactId }) => contactId)] });
}

const FORGET: Statement = {
  name: 'named-conversations-forget',
  text: 'DELETE FROM named_conversations WHERE id = ANY($1::uuid[])',
};

/** Forgets conversations that are there, or that no message names. */
export async function forgetNamed(
  connection: Pick<pg.ClientBase, 'query'>,
  named: readonly NamedConversation[],
): Promise<void> {
  await connection.query({ ...FORGET, values: [named.map(({ id }) => id)] });
}

/** Two minutes are more than a request has between its note and the commit of its messages. */
const IS_DUE = "named_at <= now() - interval '2 minutes'";

/** Of sends that were refused, or repeated. */
const FORGET_UNUSED = `
  DELETE FROM named_conversations WHERE id IN (
    SELECT n.id FROM named_conversations n
    WHERE ${IS_DUE} AND NOT EXISTS (SELECT FROM messages m WHERE m.conversation_id = n.id)
    LIMIT $1 FOR UPDATE SKIP LOCKED)`;

const TAKE_USED: PlannedStatement = {
  text: `SELECT n.id, n.contact_id AS "contactId", m.ids AS "messageIds", m.newest AS at
         FROM (SELECT id, contact_id FROM named_conversations WHERE ${IS_DUE} LIMIT 1 FOR UPDATE SKIP LOCKED) n
         CROSS JOIN LATERAL (SELECT coalesce(array_agg(id), '{}') AS ids, max(created_at) AS newest
                             FROM messages WHERE conversation_id = n.id) m`,
};

interface UsedRow extends NamedConversation {
  messageIds: string[];
  /** When the newest of them was accepted; null where they have gone in this moment. */
  at: Date | null;
}

/** Makes the conversations that messages name of processes which died, or lost their store, before they could. */
export async function settleNamed(options: SweepOptions): Promise<void> {
  const { pool, stopped } = options;
  if (await repeated(() => inSteps(options, { text: FORGET_UNUSED, values: [] }))) return;
  // Each in a transaction of its own: what locks messages locks no further contact.
  for (let found = true; found && !stopped(); ) found = await repeated(() => inTransaction(pool, settleOne));
}

async function settleOne(client: pg.PoolClient): Promise<boolean> {
  const { rows } = await client.query<UsedRow>({ ...TAKE_USED });
  const [used] = rows;
  if (!used) return false;
  const { at, messageIds, id, contactId } = used;
  if (at) {
    await openNamed(client, [{ id, contactId }], messageIds, at);
    await leaveDeletedContacts(client, messageIds);
  }
  await forgetNamed(client, rows);
  return true;
}
