/** Converts days such as `2027-01-31` in the viewer's time zone to the first and last moment of the range. */
export function momentsOfDays(fromDay: string, toDay: string): { from: string; to: string } {
  return {
    from: startOf(fromDay, 0).toISOString(),
    // The server includes the hour that contains `to`, so `to` must be before midnight.
    to: new Date(startOf(toDay, 1).getTime() - 1).toISOString(),
  };
}

/** Calculated by date, not by adding 24 hours: days with a clock change are shorter or longer. */
function startOf(day: string, daysLater: number): Date {
  const [year, month, date] = day.split('-').map(Number) as [number, number, number];
  return new Date(year, month - 1, date + daysLater);
}
