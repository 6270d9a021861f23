import { lowestIdAt } from '../../platform/ids.js';

/** Months beyond the present one that have a table of their own: so long may nobody sweep, or a clock run ahead. */
export const MONTHS_AHEAD = 3;

/** A table of the messages whose ids begin with a time within it. */
export interface Month {
  /** Of the table, e.g. `messages_2026_12`. */
  name: string;
  /** The lowest id that belongs into it. */
  from: string;
  /** The lowest id that no longer does. */
  to: string;
}

/** The first moment (UTC) of the month so many months after that of a time. */
export function monthStart(time: Date, later = 0): Date {
  return new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + later, 1));
}

/** The months from one first moment until another, both of `monthStart`. */
export function monthsBetween(from: Date, until: Date): Month[] {
  const months: Month[] = [];
  for (let start = from; start < until; start = monthStart(start, 1)) {
    const name = `messages_${start.toISOString().slice(0, 7).replace('-', '_')}`;
    months.push({ name, from: lowestIdAt(start), to: lowestIdAt(monthStart(start, 1)) });
  }
  return months;
}

/** Where the months that are made ahead end: the first moment of the first month that needs no table yet. */
export function madeUntil(now: Date): Date {
  return monthStart(now, MONTHS_AHEAD + 1);
}

/** The months to be made where the first begins at `start`: those until `madeUntil`, and one at the least. */
export function monthsFrom(start: Date, now: Date): Month[] {
  const until = madeUntil(now);
  return monthsBetween(start, until > start ? until : monthStart(start, 1));
}
