import { CONTACT_FIELD_NAMES, CONTACT_FIELDS, type ContactFieldName } from './contact-fields.js';

/** The columns of the contact fields, each after a prefix such as `c.`. */
export function fieldColumns(prefix = ''): string {
  return CONTACT_FIELD_NAMES.map((name) => prefix + name).join(', ');
}

/** A parameter for each field, such as `$4, $5`. */
export function fieldParameters(first: number, type = ''): string {
  return CONTACT_FIELD_NAMES.map((_, index) => `$${first + index}${type}`).join(', ');
}

/** One SQL fragment for each field, such as an assignment or a condition; `index` counts from 0. */
export function forEachField(fragment: (name: ContactFieldName, index: number) => string, separator = ', '): string {
  return CONTACT_FIELD_NAMES.map(fragment).join(separator);
}

/** The condition that a field of a contact is unset. */
export function isUnset(name: ContactFieldName): string {
  return CONTACT_FIELDS[name].isNullable ? `${name} IS NULL` : `${name} = ''`;
}
