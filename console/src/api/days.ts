/** The moments from the beginning of one day to the last of another, by days such as `2027-01-31` in the viewer's zone. */
export function momentsOfDays(fromDay: string, toDay: string): { from: string; to: string } {
  return {
    from: startOf(fromDay, 0).toISOString(),
    // The last hour is the one before the end.
    to: new Date(startOf(toDay, 1).getTime() - 1).toISOString(),
  };
}

/** Each day anew: one that begins at one o'clock, where clocks change at midnight, says nothing of the next. */
function startOf(day: string, later: number): Date {
  const [year, month, date] = day.split('-').map(Number) as [number, number, number];
  return new Date(year, month - 1, date + later);
}
