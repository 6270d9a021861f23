import type { CalendarId } from './rules/calendars.js';

/** 0 is Sunday. */
export type Weekday = 0 | 1 | 2 | 3 | 4 | 5 | 6;

/** Hours in which messages may be sent, by the recipient's clock. */
export interface Window {
  days: readonly Weekday[];
  /** Minutes since midnight. */
  from: number;
  /** Minutes since midnight, exclusive; 1440 is the end of the day. */
  to: number;
}

/** All other hours are quiet. */
export interface QuietRule {
  /** ID of a preset such as `us-fl`, or the UUID of an account's own rule. */
  id: string;
  /** Short name for the history of messages, such as `US-FL`. */
  label: string;
  /** ISO 3166-1 codes. Empty: every country. */
  countries: readonly string[];
  /** US state by the postal code, such as `FL`; only with the country US. Null: the whole country. */
  region: string | null;
  windows: readonly Window[];
  /** Public holidays, which are quiet all day. */
  holidays: CalendarId | null;
  /** Further days that are quiet all day, such as `2026-12-24`. */
  closedDates: readonly string[];
}

/** A rule that a law or a regulator sets. */
export interface RulePreset extends QuietRule {
  name: string;
  /** The law, regulation or order. */
  citation: string;
  /** Address of the official text, or of the authority's page about it. */
  source: string;
  /** The hours apply since this day or year, or since an earlier one: `2021-07-01`, or `1999`. */
  effectiveFrom: string;
  /** What the law leaves open, or null. */
  note: string | null;
}
