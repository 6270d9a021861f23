import type { LocaleValue } from '../../../src/features/contacts/locale-value.js';

/** Returns the text of a contact's field, also if it was computed from the number. */
export function contactFieldText(value: string | LocaleValue | null): string {
  return typeof value === 'object' ? (value?.value ?? '') : value;
}
