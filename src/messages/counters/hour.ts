const HOUR_MS = 60 * 60 * 1000;

/** The beginning of the UTC hour of a moment, as a statement takes it. */
export function hourOf(moment: Date): string {
  return new Date(Math.floor(moment.getTime() / HOUR_MS) * HOUR_MS).toISOString();
}
