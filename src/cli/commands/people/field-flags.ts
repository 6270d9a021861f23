import type { CustomColumns } from '../../../features/contacts/custom/columns.js';
import type { FieldColumn } from '../../../features/contacts/custom/field-columns.js';
import { toFieldKey } from '../../../features/contacts/custom/field-values.js';

/** Reads options such as `Plan=plan`, or `Plan` for the key that is made from the heading. */
export function readFieldFlags(flags: readonly string[] = []): FieldColumn[] {
  return flags.map((flag) => {
    const separator = flag.lastIndexOf('=');
    return separator === -1 ? { column: flag } : { column: flag.slice(0, separator), key: flag.slice(separator + 1) };
  });
}

export function toChosenColumns(columns: readonly FieldColumn[]): CustomColumns {
  return Object.fromEntries(columns.map(({ column, key }) => [key ?? toFieldKey(column) ?? '', column]));
}
