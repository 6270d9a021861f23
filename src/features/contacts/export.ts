import type pg from 'pg';
import { csvLine } from './csv-cells.js';
import { type ExportFilter, readContactsAfter } from './export-store.js';

const PAGE_ROWS = 5_000;

/** Below every UUID. */
const NIL = '00000000-0000-0000-0000-000000000000';

/**
 * The contacts of a channel as CSV, oldest first, with the columns that an import reads, and numbers with their plus sign. Each part holds some thousand
 * contacts; a contact that is made or deleted while it runs may be in it or not.
 */
export async function* exportContacts(pool: pg.Pool, filter: ExportFilter): AsyncGenerator<string> {
  yield csvLine(['phone', 'name', 'email']);
  let after = NIL;
  for (;;) {
    const rows = await readContactsAfter(pool, filter, after, PAGE_ROWS);
    const last = rows.at(-1);
    if (!last) return;
    after = last.id;
    yield rows.map((row) => csvLine([`+${row.phone}`, row.name, row.email])).join('');
  }
}
