import { type LocalTime, MS_PER_DAY } from '../local-time.js';
import { CALENDARS, type CalendarId, type Holiday, type Observance } from './calendars.js';
import { findEaster, findNthWeekday } from './days.js';

/** Keys are `calendar year`, values are days as `month * 100 + day`. */
const daysByYear = new Map<string, ReadonlySet<number>>();

export function isHoliday(
  calendar: CalendarId,
  { year, month, day }: Pick<LocalTime, 'year' | 'month' | 'day'>,
): boolean {
  const key = `${calendar} ${year}`;
  let days = daysByYear.get(key);
  if (!days) {
    days = listDays(CALENDARS[calendar], year);
    daysByYear.set(key, days);
  }
  return days.has(month * 100 + day);
}

/** The holidays of the next year are included, because New Year's Day may be observed in December. */
function listDays(holidays: readonly Holiday[], year: number): ReadonlySet<number> {
  const times = [year, year + 1].flatMap((each) => holidays.flatMap((holiday) => findTimes(holiday, each)));
  return new Set(
    times
      .map((time) => new Date(time))
      .filter((date) => date.getUTCFullYear() === year)
      .map((date) => (date.getUTCMonth() + 1) * 100 + date.getUTCDate()),
  );
}

function findTimes(holiday: Holiday, year: number): number[] {
  if ('easter' in holiday) return [findEaster(year) + holiday.easter * MS_PER_DAY];
  if ('nth' in holiday) return [findNthWeekday(year, holiday.month, holiday.weekday, holiday.nth)];
  if ('find' in holiday) {
    const date = holiday.find(year);
    return date ? [Date.UTC(year, date.month - 1, date.day)] : [];
  }
  const time = Date.UTC(year, holiday.month - 1, holiday.day);
  const weekday = new Date(time).getUTCDay();
  if (holiday.observed === 'monday') return [time + ((8 - weekday) % 7) * MS_PER_DAY];
  const shift = findShift(holiday.observed, weekday);
  return shift === 0 ? [time] : [time, time + shift * MS_PER_DAY];
}

/** Returns how many days later a holiday is observed too, or 0 if it is not. */
function findShift(observed: Observance | undefined, weekday: number): number {
  if (!observed || (weekday !== 0 && weekday !== 6)) return 0;
  if (weekday === 0) return 1;
  return observed === 'us' ? -1 : 0;
}
