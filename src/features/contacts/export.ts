import type pg from 'pg';
import { CONTACT_FIELD_NAMES } from './contact-fields.js';
import { toCsvLine } from './csv-cells.js';
import { TAGS_HEADING, toFieldHeading } from './custom/columns.js';
import { formatValue } from './custom/field-values.js';
import { writeTagCell } from './custom/tag-names.js';
import {
  type ExportedContact,
  type ExportedMarks,
  type ExportFilter,
  findExportedMarks,
  hasUserIds,
  readContactsAfter,
} from './export-store.js';

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
  const marks = await reads(({ pool }) => findExportedMarks(pool, filter.channelId));
  const markColumns = [...(marks.hasTags ? [TAGS_HEADING] : []), ...marks.keys.map(toFieldHeading)];
  yield toCsvLine(['phone', ...CONTACT_FIELD_NAMES, ...(includesIds ? ID_COLUMNS : []), ...markColumns]);
  let after = NIL;
  for (;;) {
    const afterId = after;
    const rows = await reads(({ pool }) => readContactsAfter(pool, filter, afterId, PAGE_ROWS));
    const last = rows.at(-1);
    if (!last) return;
    after = last.id;
    yield rows.map((row) => toCsvLine(toCells(row, includesIds, marks))).join('');
  }
}

const ID_COLUMNS = ['userId', 'username'] as const;

function toCells(contact: ExportedContact, withIds: boolean, { keys, hasTags }: ExportedMarks): string[] {
  const { phone } = contact;
  const columns = [...CONTACT_FIELD_NAMES, ...(withIds ? ID_COLUMNS : [])];
  const custom = [
    ...(hasTags ? [writeTagCell(contact.tags)] : []),
    ...keys.map((key) => formatValue(contact.fields?.[key])),
  ];
  return [phone === null ? '' : `+${phone}`, ...columns.map((column) => contact[column] ?? ''), ...custom];
}
