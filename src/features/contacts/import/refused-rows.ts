import type { Connection } from '../../../platform/store/within.js';
import { CONTACT_FIELD_NAMES } from '../contact-fields.js';
import { answeringDelimiter, BYTE_ORDER_MARK, csvLine } from '../csv-cells.js';
import type { ImportRow, RefusedRow } from './check-row.js';
import type { WaitingContact } from './job-rows.js';
import type { ImportJob } from './jobs.js';
import { FIRST_LIST_COLUMNS, LIST_COLUMNS } from './list-columns.js';
import { readRefusedSlice } from './slice-store.js';

/** What a file of refused rows has before the columns of the imported one. */
const OWN = ['row', 'reason'];

/** What a refused row keeps apart from its cells. */
const REFUSED_FIELDS = ['phone', ...CONTACT_FIELD_NAMES] as const;

/** A refused row as an import keeps it. */
export interface KeptRefusal extends Omit<WaitingContact, 'phone' | 'row'> {
  row: number;
  phone?: string | null;
  reason: string;
}

/** How many columns of an imported file are those of a file of refused rows, which is imported again as it is. */
export function ownColumns(header: readonly string[]): number {
  return OWN.every((name, index) => header[index] === name) ? OWN.length : 0;
}

/** The first line of a file of refused rows. */
export function refusedHeader(header: readonly string[], delimiter: string): string {
  return BYTE_ORDER_MARK + csvLine([...OWN, ...header.slice(ownColumns(header))], delimiter);
}

/** A line of a file of refused rows. */
export function refusedLine(
  { row, reason, cells }: Pick<RefusedRow, 'row' | 'reason' | 'cells'>,
  header: readonly string[],
  delimiter: string,
): string {
  return csvLine([String(row), reason, ...cells.slice(ownColumns(header))], delimiter);
}

/** The cells of a row as PostgreSQL can keep them in JSON: what is no text stands as U+FFFD. */
export function keptCells({ cells }: ImportRow | RefusedRow): string[] {
  return cells.map((cell) => cell.replaceAll('\0', '\uFFFD').toWellFormed());
}

/**
 * The refused rows of an import as CSV: `row`, `reason`, and all columns of the imported file as they were written, with
 * its delimiter, so that it can be mended and imported. Of an import that came whole only the rows that it keeps.
 */
export async function* refusedRows(pool: Connection, job: ImportJob): AsyncGenerator<string> {
  const columns = columnsOf(job);
  const isList = columns !== job.columns;
  const delimiter = answeringDelimiter(job.delimiter);
  const lines = (kept: readonly KeptRefusal[]) =>
    kept.map((each) => refusedLine({ ...each, cells: cellsOf(each, columns, isList) }, columns, delimiter)).join('');
  yield refusedHeader(columns, delimiter);
  if (job.slices === null) {
    yield lines(job.refusedRows as unknown as KeptRefusal[]);
    return;
  }
  for (let after = -1; ; ) {
    const slice = await readRefusedSlice(pool, job.id, after);
    if (!slice) return;
    after = slice.position;
    yield lines(JSON.parse(slice.input) as KeptRefusal[]);
  }
}

/** The columns of the file; of a list its fields. */
function columnsOf({ columns, slices, refusedRows }: ImportJob): readonly string[] {
  if (columns.length > 0) return columns;
  const kept = slices === null ? (refusedRows as unknown as KeptRefusal[]) : [];
  const lengths = kept.map(({ cells = [] }) => cells.length);
  return LIST_COLUMNS.slice(0, Math.max(FIRST_LIST_COLUMNS.length, ...lengths));
}

/** A row of a list has no cells, nor one that a process of the version before refused, nor one that was erased. */
function cellsOf(kept: KeptRefusal, columns: readonly string[], isList: boolean): readonly string[] {
  const { cells } = kept;
  if (cells) return isList ? columns.map((_, index) => cells[index] ?? '') : cells;
  const known = new Map(REFUSED_FIELDS.map((name) => [name.toLowerCase(), kept[name] ?? '']));
  return columns.map((column) => known.get(column.trim().toLowerCase()) ?? '');
}
