import type pg from 'pg';
import { csvLine } from './csv-cells.js';

const PAGE_ROWS = 5_000;

/** Below every UUID. */
const NIL = '00000000-0000-0000-0000-000000000000';

export interface ExportFilter {
  channelId: string;
  /** Members of this group only. */
  groupId: string | null;
}

/**
 * The contacts of a channel as CSV, oldest first, with the columns that an import reads. Each part holds some thousand
 * contacts; a contact that is made or deleted meanwhile may be in it or not.
 */
export async function* exportContacts(pool: pg.Pool, filter: ExportFilter): AsyncGenerator<string> {
  yield csvLine(['phone', 'name', 'email']);
  let after = NIL;
  for (;;) {
    const { rows } = await pool.query<{ id: string; phone: string; name: string; email: string }>({
      name: filter.groupId ? 'contacts-export-group' : 'contacts-export',
      text: filter.groupId
        ? `SELECT c.id, c.phone, c.name, c.email FROM group_members m JOIN contacts c ON c.id = m.contact_id
           WHERE m.group_id = $2 AND m.contact_id > $3 AND c.channel_id = $1 ORDER BY m.contact_id LIMIT $4`
        : `SELECT id, phone, name, email FROM contacts
           WHERE channel_id = $1 AND $2::uuid IS NULL AND id > $3 ORDER BY id LIMIT $4`,
      values: [filter.channelId, filter.groupId, after, PAGE_ROWS],
    });
    const last = rows.at(-1);
    if (!last) return;
    after = last.id;
    yield rows.map((row) => csvLine([row.phone, row.name, row.email])).join('');
  }
}
