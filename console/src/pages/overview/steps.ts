const HOUR_MS = 3_600_000;

interface Stepped<T> {
  from: string;
  to: string;
  step: 'hour' | 'day';
  byTime: readonly T[];
}

/**
 * Fills gaps: one entry per hour, or per day in the viewer's time zone, with its counts or undefined. Days are matched by
 * date, because where clocks change at midnight, a day may start at one o'clock or twice.
 */
export function stepsOf<T extends { start: string }>({ from, to, step, byTime }: Stepped<T>) {
  const toKey = (date: Date) => (step === 'day' ? date.toDateString() : date.getTime());
  const rows = new Map(byTime.map((row) => [toKey(new Date(row.start)), row]));
  const first = new Date(from);
  const end = new Date(to);
  const steps: { start: Date; row: T | undefined }[] = [];
  for (let index = 0; ; index++) {
    const start = step === 'day' ? dayAfter(first, index) : new Date(first.getTime() + index * HOUR_MS);
    if (start >= end) return steps;
    steps.push({ start, row: rows.get(toKey(start)) });
  }
}

/** Start of the day that is `days` days after `date`. */
function dayAfter(date: Date, days: number): Date {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days);
}
