import { CONTACT_FIELD_NAMES, CONTACT_FIELDS, type ContactFieldName } from './contact-fields.js';

export function listFieldColumns(prefix = ''): string {
  return CONTACT_FIELD_NAMES.map((name) => prefix + name).join(', ');
}

/** For example `$4, $5`. */
export function listFieldParameters(first: number, type = ''): string {
  return CONTACT_FIELD_NAMES.map((_, index) => `$${first + index}${type}`).join(', ');
}

export function forEachField(fragment: (name: ContactFieldName, index: number) => string, separator = ', '): string {
  return CONTACT_FIELD_NAMES.map(fragment).join(separator);
}

export function isUnsetSql(name: ContactFieldName): string {
  return CONTACT_FIELDS[name].isNullable ? `${name} IS NULL` : `${name} = ''`;
}
