import { useEffect, useState } from 'react';

interface TimeTextProps {
  /** Time in ISO 8601, or null if the event has not happened. */
  value: string | null | undefined;
  /** `full` shows date and time, `exact` also seconds, `time` only the time with seconds, and `ago` a relative time. */
  as?: 'full' | 'exact' | 'date' | 'time' | 'ago';
  none?: string;
}

const FORMATS = {
  full: new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }),
  exact: new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' }),
  date: new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' }),
  time: new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' }),
} as const;
const RELATIVE = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });
const STEPS: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** Shows the time in the viewer's time zone, with UTC in the tooltip. */
export function TimeText({ value, as = 'full', none = '–' }: TimeTextProps) {
  if (!value) return <span>{none}</span>;
  const date = new Date(value);
  const utc = `${date.toISOString().replace('T', ' ').replace('Z', '')} UTC`;
  return (
    <time dateTime={value} title={utc}>
      {as === 'ago' ? <RelativeTime date={date} /> : FORMATS[as].format(date)}
    </time>
  );
}

export function formatTime(value: string, as: keyof typeof FORMATS = 'full'): string {
  return FORMATS[as].format(new Date(value));
}

function RelativeTime({ date }: { date: Date }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, []);
  // If the viewer's clock is behind the server's, recent events must not appear to be in the future.
  const seconds = Math.min(0, Math.round((date.getTime() - now) / 1000));
  const [unit, length] = STEPS.find(([, step]) => -seconds >= step) ?? ['second', 1];
  return unit === 'second' ? RELATIVE.format(0, 'second') : RELATIVE.format(Math.ceil(seconds / length), unit);
}
