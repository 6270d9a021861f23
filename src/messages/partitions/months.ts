import { lowestIdAt } from '../../platform/ids.js';

/** Months after the current one that have their own table. Covers missed sweeps and clocks that are ahead. */
export const MONTHS_AHEAD = 3;

export interface Month {
  /** Table name, for example `messages_2026_12`. */
  name: string;
  /** The lowest ID of the month. */
  from: string;
  /** The first ID after the month. */
  to: string;
}

/** In UTC. */
export function monthStart(time: Date, later = 0): Date {
  return new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + later, 1));
}

export function monthsBetween(from: Date, until: Date): Month[] {
  const months: Month[] = [];
  for (let start = from; start < until; start = monthStart(start, 1)) {
    const name = `messages_${start.toISOString().slice(0, 7).replace('-', '_')}`;
    months.push({ name, from: lowestIdAt(start), to: lowestIdAt(monthStart(start, 1)) });
  }
  return months;
}

/** Start of the first month that does not need a table yet. */
export function monthsNeededUntil(now: Date): Date {
  return monthStart(now, MONTHS_AHEAD + 1);
}

/** At least one month. */
export function monthsFrom(start: Date, now: Date): Month[] {
  const until = monthsNeededUntil(now);
  return monthsBetween(start, until > start ? until : monthStart(start, 1));
}
