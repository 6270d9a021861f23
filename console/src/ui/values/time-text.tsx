import { useEffect, useState } from 'react';

interface TimeTextProps {
  /** ISO 8601, or null for what never happened. */
  value: string | null | undefined;
  /** `full`: date and time; `exact`: with seconds too; `date`; `time` with seconds; `ago`: how long since. */
  as?: 'full' | 'exact' | 'date' | 'time' | 'ago';
  /** In place of a time that is not there. */
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

/** A moment in the viewer's zone; hovering shows it in UTC. */
export function TimeText({ value, as = 'full', none = '–' }: TimeTextProps) {
  if (!value) return <span>{none}</span>;
  const date = new Date(value);
  const utc = `${date.toISOString().replace('T', ' ').replace('Z', '')} UTC`;
  return (
    <time dateTime={value} title={utc}>
      {as === 'ago' ? <Ago date={date} /> : FORMATS[as].format(date)}
    </time>
  );
}

/** A moment in words, e.g. for a label. */
export function formatTime(value: string, as: keyof typeof FORMATS = 'full'): string {
  return FORMATS[as].format(new Date(value));
}

function Ago({ date }: { date: Date }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, []);
  // A clock that runs behind the server's must not speak of the future.
  const seconds = Math.min(0, Math.round((date.getTime() - now) / 1000));
  const [unit, length] = STEPS.find(([, step]) => -seconds >= step) ?? ['second', 1];
  return unit === 'second' ? RELATIVE.format(0, 'second') : RELATIVE.format(Math.ceil(seconds / length), unit);
}
