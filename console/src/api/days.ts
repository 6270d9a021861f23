/** Converts days in the viewer's time zone, such as `2027-01-31`. */
export function dayRangeToTimes(fromDay: string, toDay: string): { from: string; to: string } {
  return {
    from: startOfDay(fromDay, 0).toISOString(),
    // The server includes the hour that contains `to`, so `to` must be before midnight.
    to: new Date(startOfDay(toDay, 1).getTime() - 1).toISOString(),
  };
}

/** Adding 24 hours would be wrong on days with a clock change. */
function startOfDay(day: string, daysLater: number): Date {
  const [year, month, date] = day.split('-').map(Number) as [number, number, number];
  return new Date(year, month - 1, date + daysLater);
}
