import type pg from 'pg';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';
import type { ContactKey } from './contact-store.js';
import { followContactMerges } from './identity/survivor-store.js';
import { CONTACT_COLUMNS, type ContactRow } from './record.js';

/** Locks automation runs before the contact, because a runner locks its run and then the contact. */
const LOCK_RUNS: PlannedStatement = {
  text: `SELECT r.id FROM automation_runs r JOIN contacts c ON c.id = r.contact_id AND c.channel_id = $2
         WHERE r.contact_id = $1 ORDER BY r.id FOR UPDATE OF r`,
};

const LOCK_CONTACT: PlannedStatement = {
  text: 'SELECT id FROM contacts WHERE id = $1 AND channel_id = $2 AND account_id = $3 FOR UPDATE',
};

/** Follows merges. */
export async function lockForDeletion(
  client: pg.PoolClient,
  { id, channelId, accountId }: ContactKey,
): Promise<string | null> {
  return await followContactMerges(client, id, async (contactId) => {
    await client.query({ ...LOCK_RUNS, values: [contactId, channelId] });
    const { rowCount } = await client.query({ ...LOCK_CONTACT, values: [contactId, channelId, accountId] });
    return rowCount === 1 ? contactId : null;
  });
}

const LOCK_GROUPS: PlannedStatement = {
  text: `SELECT g.id FROM contact_groups g JOIN group_members m ON m.group_id = g.id
         WHERE m.contact_id = $1 ORDER BY g.id FOR NO KEY UPDATE OF g`,
};

/**
 * Runs as a separate statement, because one that locks and updates groups could deadlock with transactions that hold
 * FOR KEY SHARE locks.
 */
const DECREMENT_COUNTS: PlannedStatement = {
  text: 'UPDATE contact_groups SET contact_count = contact_count - 1 WHERE id = ANY($1::uuid[])',
};

export async function leaveGroups(client: pg.PoolClient, contactId: string): Promise<void> {
  const { rows } = await client.query<{ id: string }>({ ...LOCK_GROUPS, values: [contactId] });
  await client.query({ ...DECREMENT_COUNTS, values: [rows.map(({ id }) => id)] });
}

const LOCK_CONVERSATION: PlannedStatement = {
  text: 'SELECT id FROM conversations WHERE contact_id = $1 FOR UPDATE',
};

/**
 * Sends commit their message before updating the conversation, so either the deletion sees the message, or the send
 * finds no conversation and detaches its message.
 */
export async function lockConversation(client: pg.PoolClient, contactId: string): Promise<void> {
  await client.query({ ...LOCK_CONVERSATION, values: [contactId] });
}

const DELETE: PlannedStatement = { text: `DELETE FROM contacts WHERE id = $1 RETURNING ${CONTACT_COLUMNS}` };

export async function deleteContactRow(client: pg.PoolClient, contactId: string): Promise<ContactRow> {
  const { rows } = await client.query<ContactRow>({ ...DELETE, values: [contactId] });
  return rows[0] as ContactRow;
}
