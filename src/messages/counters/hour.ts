const HOUR_MS = 60 * 60 * 1000;

/** Start of the UTC hour, as ISO 8601. */
export function startOfHour(moment: Date): string {
  return new Date(Math.floor(moment.getTime() / HOUR_MS) * HOUR_MS).toISOString();
}
