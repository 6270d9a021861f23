import { CONTACT_FIELD_NAMES, CONTACT_FIELDS, type ContactFieldName } from './contact-fields.js';

export function toColumn(name: ContactFieldName): string {
  return CONTACT_FIELDS[name].column;
}

/** Column names for INSERT, and for lists of values. */
export function listFieldColumns(prefix = ''): string {
  return CONTACT_FIELD_NAMES.map((name) => prefix + toColumn(name)).join(', ');
}

/** Columns for SELECT and RETURNING, under the names of the fields. */
export function selectFieldColumns(prefix = ''): string {
  return CONTACT_FIELD_NAMES.map((name) => `${prefix}${toColumn(name)} AS "${name}"`).join(', ');
}

/** For example `$4, $5`. */
export function listFieldParameters(first: number, type = ''): string {
  return CONTACT_FIELD_NAMES.map((_, index) => `$${first + index}${type}`).join(', ');
}

export function forEachField(fragment: (column: string, index: number) => string, separator = ', '): string {
  return CONTACT_FIELD_NAMES.map((name, index) => fragment(toColumn(name), index)).join(separator);
}

const NULLABLE_COLUMNS: ReadonlySet<string> = new Set(
  CONTACT_FIELD_NAMES.filter((name) => CONTACT_FIELDS[name].isNullable).map(toColumn),
);

export function isUnsetSql(column: string): string {
  return NULLABLE_COLUMNS.has(column) ? `${column} IS NULL` : `${column} = ''`;
}
