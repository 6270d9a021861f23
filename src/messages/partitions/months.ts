import { lowestIdAt } from '../../platform/ids.js';

/** Covers missed sweeps and clocks that are ahead. */
export const MONTHS_AHEAD = 3;

export interface Month {
  name: string;
  from: string;
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

export function monthsNeededUntil(now: Date): Date {
  return monthStart(now, MONTHS_AHEAD + 1);
}

/** Returns at least one month. */
export function monthsFrom(start: Date, now: Date): Month[] {
  const until = monthsNeededUntil(now);
  return monthsBetween(start, until > start ? until : monthStart(start, 1));
}
