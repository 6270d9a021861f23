import type pg from 'pg';

const DELETIONS: Readonly<Record<string, string>> = {
  message_references:
    'DELETE FROM message_references r WHERE NOT EXISTS (SELECT FROM messages m WHERE m.id = r.message_id)',
  message_parts: 'DELETE FROM message_parts p WHERE NOT EXISTS (SELECT FROM messages m WHERE m.id = p.message_id)',
  message_tries: 'DELETE FROM message_tries t WHERE NOT EXISTS (SELECT FROM messages m WHERE m.id = t.message_id)',
  message_holds: 'DELETE FROM message_holds h WHERE NOT EXISTS (SELECT FROM messages m WHERE m.id = h.message_id)',
};

/**
 * Detaching a month removes its messages from every snapshot immediately, but their references, parts and attempts are deleted
 * later.
 */
export async function deleteOrphans(client: Pick<pg.ClientBase, 'query'>): Promise<void> {
  for (const [table, deletion] of Object.entries(DELETIONS)) {
    // A backup of an earlier version is loaded before its migrations, so newer tables may be missing.
    const { rows } = await client.query('SELECT to_regclass($1) IS NOT NULL AS "exists"', [table]);
    if (rows[0]?.exists) await client.query(deletion);
  }
}
