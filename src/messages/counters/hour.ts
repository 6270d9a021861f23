const HOUR_MS = 60 * 60 * 1000;

/** Returns the start of the UTC hour in ISO 8601. */
export function startOfHour(moment: Date): string {
  return new Date(Math.floor(moment.getTime() / HOUR_MS) * HOUR_MS).toISOString();
}
