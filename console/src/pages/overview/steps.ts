const HOUR_MS = 3_600_000;

interface FilledStep<T> {
  from: string;
  to: string;
  step: 'hour' | 'day';
  byTime: readonly T[];
}

/**
 * Adds entries without counts for hours and days that have no row. Days are matched by date, because a day starts at one
 * o'clock if the clocks change at midnight.
 */
export function fillSteps<T extends { start: string }>({ from, to, step, byTime }: FilledStep<T>) {
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

function dayAfter(date: Date, days: number): Date {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days);
}
