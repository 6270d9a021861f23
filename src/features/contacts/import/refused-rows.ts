import type { Connection } from '../../../platform/store/with-transaction.js';
import { CONTACT_FIELD_NAMES } from '../contact-fields.js';
import { BYTE_ORDER_MARK, chooseOutputDelimiter, toCsvLine } from '../csv-cells.js';
import type { ImportRow, RefusedRow } from './check-row.js';
import type { WaitingContact } from './job-rows.js';
import type { ImportJob } from './jobs.js';
import { FIRST_LIST_COLUMNS, LIST_COLUMNS } from './list-columns.js';
import { readRefusedSlice } from './slice-store.js';

const REFUSAL_COLUMNS = ['row', 'reason'];

/** Fields that are stored in addition to the cells. */
const REFUSED_FIELDS = ['phone', ...CONTACT_FIELD_NAMES] as const;

export interface StoredRefusal extends Omit<WaitingContact, 'phone' | 'row'> {
  row: number;
  phone?: string | null;
  reason: string;
}

export function countRefusalColumns(header: readonly string[]): number {
  return REFUSAL_COLUMNS.every((name, index) => header[index] === name) ? REFUSAL_COLUMNS.length : 0;
}

export function toRefusedHeader(header: readonly string[], delimiter: string): string {
  return BYTE_ORDER_MARK + toCsvLine([...REFUSAL_COLUMNS, ...header.slice(countRefusalColumns(header))], delimiter);
}

export function toRefusedLine(
  { row, reason, cells }: Pick<RefusedRow, 'row' | 'reason' | 'cells'>,
  header: readonly string[],
  delimiter: string,
): string {
  return toCsvLine([String(row), reason, ...cells.slice(countRefusalColumns(header))], delimiter);
}

/** Replaces characters that PostgreSQL cannot store in JSON with U+FFFD. */
export function toStorableCells({ cells }: ImportRow | RefusedRow): string[] {
  return cells.map((cell) => cell.replaceAll('\0', '\uFFFD').toWellFormed());
}

/**
 * Streams CSV with `row`, `reason` and all columns of the imported file, so that people can correct the rows and import
 * them.
 */
export async function* streamRefusedRows(pool: Connection, job: ImportJob): AsyncGenerator<string> {
  const columns = chooseColumns(job);
  const isList = columns !== job.columns;
  const delimiter = chooseOutputDelimiter(job.delimiter);
  const lines = (refusals: readonly StoredRefusal[]) =>
    refusals
      .map((each) => toRefusedLine({ ...each, cells: chooseCells(each, columns, isList) }, columns, delimiter))
      .join('');
  yield toRefusedHeader(columns, delimiter);
  if (job.slices === null) {
    yield lines(job.refusedRows as unknown as StoredRefusal[]);
    return;
  }
  for (let after = -1; ; ) {
    const slice = await readRefusedSlice(pool, job.id, after);
    if (!slice) return;
    after = slice.position;
    yield lines(JSON.parse(slice.input) as StoredRefusal[]);
  }
}

function chooseColumns({ columns, slices, refusedRows }: ImportJob): readonly string[] {
  if (columns.length > 0) return columns;
  const refusals = slices === null ? (refusedRows as unknown as StoredRefusal[]) : [];
  const lengths = refusals.map(({ cells = [] }) => cells.length);
  return LIST_COLUMNS.slice(0, Math.max(FIRST_LIST_COLUMNS.length, ...lengths));
}

/** Erased rows, and rows that an older version refused, have no cells. */
function chooseCells(refusal: StoredRefusal, columns: readonly string[], isList: boolean): readonly string[] {
  const { cells } = refusal;
  if (cells) return isList ? columns.map((_, index) => cells[index] ?? '') : cells;
  const values = new Map(REFUSED_FIELDS.map((name) => [name.toLowerCase(), refusal[name] ?? '']));
  return columns.map((column) => values.get(column.trim().toLowerCase()) ?? '');
}
