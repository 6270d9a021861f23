import { toFieldKey } from '../../../../src/features/contacts/custom/field-values.js';
import { splitTagCell } from '../../../../src/features/contacts/custom/tag-names.js';
import { MAX_IMPORTED_CELL, readCell } from '../../../../src/platform/text/csv-text.js';
import type { ContactField } from '../../api/account/contact-fields.js';
import type { ImportRow, ImportStart } from '../../api/imports.js';

const MAX_LABEL_LENGTH = 100;

/** Column indexes. */
export interface CustomMapping {
  /** By the key of an existing field. */
  fields: Readonly<Record<string, number>>;
  tags: number | null;
  /** Columns that become new text fields. */
  added: readonly number[];
}

export const NO_CUSTOM_COLUMNS: CustomMapping = { fields: {}, tags: null, added: [] };

/**
 * Finds columns with the headings of an exported file, and columns with the label or the key of a field.
 * @param used Columns of other fields
 */
export function guessCustomMapping(
  header: readonly string[],
  fields: readonly Pick<ContactField, 'key' | 'label'>[],
  used: ReadonlySet<number>,
): CustomMapping {
  const headings = header.map((cell) => cell.trim().toLowerCase());
  const find = (names: readonly string[]) =>
    headings.findIndex((heading, index) => !used.has(index) && names.includes(heading));
  const fieldColumns = fields.map(
    ({ key, label }) => [key, find([`fields.${key}`, key, label.toLowerCase()])] as const,
  );
  const tags = find(['tags']);
  return {
    fields: Object.fromEntries(fieldColumns.filter(([, index]) => index !== -1)),
    tags: tags === -1 ? null : tags,
    added: [],
  };
}

export function listCustomColumns({ fields, tags, added }: CustomMapping): number[] {
  return [...Object.values(fields), ...(tags === null ? [] : [tags]), ...added];
}

/** A heading without Latin letters becomes a key such as `column_3`. */
export function toColumnKey(header: readonly string[], column: number): string {
  return toFieldKey(header[column] ?? '') ?? `column_${column + 1}`;
}

export function toFieldColumns(
  header: readonly string[],
  { added }: CustomMapping,
): NonNullable<ImportStart['fieldColumns']> {
  return added.map((column) => {
    const key = toColumnKey(header, column);
    return {
      column: header[column] ?? key,
      key,
      label: (header[column] ?? '').trim().slice(0, MAX_LABEL_LENGTH) || key,
    };
  });
}

/** Empty cells are omitted, because an import never clears a field. */
export function readMarks(
  cells: readonly string[],
  header: readonly string[],
  { fields, tags, added }: CustomMapping,
): Pick<ImportRow, 'fields' | 'tags'> {
  const read = (column: number) => readCell((cells[column] ?? '').trim().slice(0, MAX_IMPORTED_CELL));
  const columns = [...Object.entries(fields), ...added.map((column) => [toColumnKey(header, column), column] as const)];
  const values = columns.map(([key, column]) => [key, read(column)] as const).filter(([, value]) => value !== '');
  const rowTags = tags === null ? [] : splitTagCell(read(tags));
  return {
    ...(values.length > 0 && { fields: Object.fromEntries(values) }),
    ...(rowTags.length > 0 && { tags: rowTags }),
  };
}
