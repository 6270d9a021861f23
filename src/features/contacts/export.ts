import type pg from 'pg';
import { CONTACT_FIELD_NAMES } from './contact-fields.js';
import { toCsvLine } from './csv-cells.js';
import { type ExportedContact, type ExportFilter, hasUserIds, readContactsAfter } from './export-store.js';

const PAGE_ROWS = 5_000;

export type ReadsPool = <T>(work: (store: { pool: pg.Pool }) => Promise<T>) => Promise<T>;

/** Below every UUID. */
const NIL = '00000000-0000-0000-0000-000000000000';

/**
 * Exports contacts as CSV, oldest first, in the columns that an import reads. Contacts that are created or deleted
 * during the export may be missing.
 */
export async function* exportContacts(reads: ReadsPool, filter: ExportFilter): AsyncGenerator<string> {
  const includesIds = await reads(({ pool }) => hasUserIds(pool, filter.channelId));
  yield toCsvLine(['phone', ...CONTACT_FIELD_NAMES, ...(includesIds ? ID_COLUMNS : [])]);
  let after = NIL;
  for (;;) {
    const afterId = after;
    const rows = await reads(({ pool }) => readContactsAfter(pool, filter, afterId, PAGE_ROWS));
    const last = rows.at(-1);
    if (!last) return;
    after = last.id;
    yield rows.map((row) => toCsvLine(toCells(row, includesIds))).join('');
  }
}

const ID_COLUMNS = ['userId', 'username'] as const;

function toCells(contact: ExportedContact, withIds: boolean): string[] {
  const { phone } = contact;
  const columns = [...CONTACT_FIELD_NAMES, ...(withIds ? ID_COLUMNS : [])];
  return [phone === null ? '' : `+${phone}`, ...columns.map((column) => contact[column] ?? '')];
}
