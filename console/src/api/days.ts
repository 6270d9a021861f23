/** Converts days such as `2027-01-31` to times in the viewer's time zone. */
export function dayRangeToTimes(fromDay: string, toDay: string): { from: string; to: string } {
  return {
    from: startOfDay(fromDay, 0).toISOString(),
    // `to` must be before midnight, because the server includes the whole hour that contains `to`.
    to: new Date(startOfDay(toDay, 1).getTime() - 1).toISOString(),
  };
}

/** Adding 24 hours per day would be wrong, because days with a clock change are shorter or longer. */
function startOfDay(day: string, daysLater: number): Date {
  const [year, month, date] = day.split('-').map(Number) as [number, number, number];
  return new Date(year, month - 1, date + daysLater);
}
