import { lowestIdAt } from '../../platform/ids.js';

/** Tables are created this many months ahead, to allow for missed sweeps and clocks that are ahead. */
export const MONTHS_AHEAD = 3;

export interface Month {
  name: string;
  from: string;
  to: string;
}

/** In UTC. */
export function startOfMonth(time: Date, monthsLater = 0): Date {
  return new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + monthsLater, 1));
}

export function listMonthsBetween(from: Date, until: Date): Month[] {
  const months: Month[] = [];
  for (let start = from; start < until; start = startOfMonth(start, 1)) {
    const name = `messages_${start.toISOString().slice(0, 7).replace('-', '_')}`;
    months.push({ name, from: lowestIdAt(start), to: lowestIdAt(startOfMonth(start, 1)) });
  }
  return months;
}

export function endOfNeededMonths(now: Date): Date {
  return startOfMonth(now, MONTHS_AHEAD + 1);
}

/** Returns at least one month. */
export function listMonthsFrom(start: Date, now: Date): Month[] {
  const until = endOfNeededMonths(now);
  return listMonthsBetween(start, until > start ? until : startOfMonth(start, 1));
}
