import type pg from 'pg';
import type { ContactKey } from './change.js';
import { countContacts } from './contacts.js';
import { within } from './transaction.js';

/**
 * Deletes a contact for good, with its memberships, its conversation and what it wrote, and its runs of automations.
 * Messages to it stay, for they were charged, but no longer say whose they are. Of messages from it stays that the
 * carrier's ids were seen, so that a repeated report does not bring the contact back.
 * @returns whether the channel had it
 */
export async function deleteContact(pool: pg.Pool, key: ContactKey): Promise<boolean> {
  return await within(pool, async (client) => {
    // A run that is under way holds its row, and then waits for its contact.
    await client.query(
      `SELECT r.id FROM automation_runs r JOIN contacts c ON c.id = r.contact_id AND c.channel_id = $2
       WHERE r.contact_id = $1 ORDER BY r.id FOR UPDATE OF r`,
      [key.id, key.channelId],
    );
    const locked = await client.query(
      'SELECT id FROM contacts WHERE id = $1 AND channel_id = $2 AND account_id = $3 FOR UPDATE',
      [key.id, key.channelId, key.accountId],
    );
    if (locked.rowCount === 0) return false;
    // From here on nobody adds the contact to a group or removes it from one, for both lock it first.
    const groups = await client.query<{ id: string }>(
      `SELECT g.id FROM contact_groups g JOIN group_members m ON m.group_id = g.id
       WHERE m.contact_id = $1 ORDER BY g.id FOR NO KEY UPDATE OF g`,
      [key.id],
    );
    // A statement of its own, for one that locks and updates deadlocks with those that hold the group FOR KEY SHARE.
    await client.query('UPDATE contact_groups SET contact_count = contact_count - 1 WHERE id = ANY($1::uuid[])', [
      groups.rows.map(({ id }) => id),
    ]);
    // Whoever has sent meanwhile touches the conversation once the message is committed: it either did so by now, and the
    // next statement sees the message, or finds the conversation gone and takes the contact off the message itself.
    await client.query('SELECT id FROM conversations WHERE contact_id = $1 FOR UPDATE', [key.id]);
    await client.query(
      `WITH own AS MATERIALIZED (
         SELECT m.id FROM messages m JOIN conversations v ON v.id = m.conversation_id
         WHERE v.contact_id = $1 ORDER BY m.id FOR NO KEY UPDATE OF m
       )
       UPDATE messages m SET contact_id = NULL, conversation_id = NULL FROM own WHERE m.id = own.id`,
      [key.id],
    );
    await client.query(
      `UPDATE inbound_messages SET conversation_id = NULL, body = '', payload = '{}'
       WHERE conversation_id IN (SELECT id FROM conversations WHERE contact_id = $1)`,
      [key.id],
    );
    await client.query('DELETE FROM contacts WHERE id = $1', [key.id]);
    await countContacts(client, key.channelId, -1);
    return true;
  });
}
