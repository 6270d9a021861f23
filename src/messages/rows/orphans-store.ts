import type pg from 'pg';

/** Their rows belong to one message, without a foreign key. */
const DELETIONS: Readonly<Record<string, string>> = {
  message_references:
    'DELETE FROM message_references r WHERE NOT EXISTS (SELECT FROM messages m WHERE m.id = r.message_id)',
  message_parts: 'DELETE FROM message_parts p WHERE NOT EXISTS (SELECT FROM messages m WHERE m.id = p.message_id)',
  message_tries: 'DELETE FROM message_tries t WHERE NOT EXISTS (SELECT FROM messages m WHERE m.id = t.message_id)',
};

/**
 * Deletes what a copied store has of messages that it lacks. A month whose table was detached is gone from every snapshot at
 * once, while its references, parts and tries are deleted afterwards by a sweep that looks for such tables; the copy has none.
 * Reads the tables whole.
 */
export async function deleteOrphans(client: Pick<pg.ClientBase, 'query'>): Promise<void> {
  for (const [table, deletion] of Object.entries(DELETIONS)) {
    // A backup of an earlier version is loaded before the migrations that make the newer tables.
    const { rows } = await client.query('SELECT to_regclass($1) IS NOT NULL AS "exists"', [table]);
    if (rows[0]?.exists) await client.query(deletion);
  }
}
