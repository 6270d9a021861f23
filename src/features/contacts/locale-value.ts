export interface LocaleValue {
  value: string;
  /** `number` if the value was computed from the phone number, because none was set. */
  source: 'set' | 'number';
}

/** Null if it was not set and cannot be computed, as for contacts without a number. */
export interface Locale {
  language: LocaleValue | null;
  timeZone: LocaleValue | null;
}
