const HOUR_MS = 3_600_000;

interface Stepped<T> {
  from: string;
  to: string;
  step: 'hour' | 'day';
  byTime: readonly T[];
}

/**
 * The beginning of every hour, or of every day in the viewer's zone, with what happened in it; undefined where nothing did.
 * A day is known by its date: where clocks change at midnight it begins at one o'clock, or twice.
 */
export function stepsOf<T extends { start: string }>({ from, to, step, byTime }: Stepped<T>) {
  const keyOf = (date: Date) => (step === 'day' ? date.toDateString() : date.getTime());
  const rows = new Map(byTime.map((row) => [keyOf(new Date(row.start)), row]));
  const first = new Date(from);
  const end = new Date(to);
  const steps: { start: Date; row: T | undefined }[] = [];
  for (let index = 0; ; index++) {
    const start = step === 'day' ? dayAfter(first, index) : new Date(first.getTime() + index * HOUR_MS);
    if (start >= end) return steps;
    steps.push({ start, row: rows.get(keyOf(start)) });
  }
}

/** When the day begins that is so many days after that of a moment. */
function dayAfter(date: Date, days: number): Date {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days);
}
