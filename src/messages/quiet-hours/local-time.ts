/** A point in time as a clock on the wall shows it. */
export interface LocalTime {
  year: number;
  /** From 1. */
  month: number;
  day: number;
  /** 0 is Sunday. */
  weekday: number;
  /** Milliseconds since midnight by the clock on the wall. */
  msOfDay: number;
}

export const MS_PER_MINUTE = 60_000;
export const MS_PER_DAY = 86_400_000;

/** Creating a formatter takes a hundred times as long as using it. */
const formatters = new Map<string, Intl.DateTimeFormat>();

export function isTimeZone(zone: string): boolean {
  try {
    findFormatter(zone);
    return true;
  } catch {
    return false;
  }
}

function findFormatter(zone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(zone);
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
    });
    formatters.set(zone, formatter);
  }
  return formatter;
}

/**
 * Returns how far the zone's clocks are ahead of UTC at a time, in milliseconds.
 * @param instant milliseconds since 1970
 */
export function findOffset(zone: string, instant: number): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of findFormatter(zone).formatToParts(instant)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(instant / 1000) * 1000;
}

/** @param wall time by the clock on the wall, written as if it were UTC */
export function toLocalTime(wall: number): LocalTime {
  const date = new Date(wall);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
    msOfDay: wall - Math.floor(wall / MS_PER_DAY) * MS_PER_DAY,
  };
}

/** Finds the moment, after `from` and not after `to`, at which the zone's clocks are changed from `offset`. */
export function findClockChange(zone: string, offset: number, from: number, to: number): number {
  let before = from;
  let after = to;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (findOffset(zone, middle) === offset) before = middle;
    else after = middle;
  }
  return after;
}

/** For example `2026-11-30`. */
export function formatDate({ year, month, day }: LocalTime): string {
  return `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

/** For example `08:00`. */
export function formatTime({ msOfDay }: Pick<LocalTime, 'msOfDay'>): string {
  const minutes = Math.floor(msOfDay / MS_PER_MINUTE);
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
}
