import type pg from 'pg';

/** Their rows belong to one message, without a foreign key. */
const DELETIONS = [
  'DELETE FROM message_references r WHERE NOT EXISTS (SELECT FROM messages m WHERE m.id = r.message_id)',
  'DELETE FROM message_parts p WHERE NOT EXISTS (SELECT FROM messages m WHERE m.id = p.message_id)',
  'DELETE FROM message_tries t WHERE NOT EXISTS (SELECT FROM messages m WHERE m.id = t.message_id)',
];

/**
 * Deletes what a copied store has of messages that it lacks. A month whose table was detached is gone from every snapshot at
 * once, while its references, parts and tries are deleted afterwards by a sweep that looks for such tables; the copy has none.
 * Reads the tables whole.
 */
export async function deleteOrphans(client: Pick<pg.ClientBase, 'query'>): Promise<void> {
  for (const deletion of DELETIONS) await client.query(deletion);
}
