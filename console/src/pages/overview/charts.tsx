import { useMemo } from 'react';
import type { Numbers, Overview } from '../../api/overview.js';
import { useAccount } from '../../session/session.js';
import { text } from '../../text/en.js';
import { Chart, type Series } from '../../ui/charts/chart.js';
import { countFailed } from './figures.js';
import { fillSteps } from './steps.js';

const MAX_BARS = 12;
const HOUR = new Intl.DateTimeFormat(undefined, { weekday: 'short', hour: '2-digit', minute: '2-digit' });
const DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const REGIONS = new Intl.DisplayNames(undefined, { type: 'region' });

export function OverTime({ overview }: { overview: Overview }) {
  const { labels, series } = useMemo(() => {
    const steps = fillSteps(overview);
    const format = overview.step === 'hour' ? HOUR : DAY;
    return {
      labels: steps.map(({ start }) => format.format(start)),
      series: toSeries(steps.map(({ row }) => row)),
    };
  }, [overview]);
  const axis = overview.step === 'hour' ? text.overview.hour : text.overview.dayAxis;
  return <Chart title={text.overview.overTime} axis={axis} labels={labels} series={series} />;
}

export function ByChannel({ overview }: { overview: Overview }) {
  const channels = useAccount()?.channels;
  const channelName = ({ channelId, kind }: Overview['byChannel'][number]) =>
    channelId === null
      ? text.overview.noChannel
      : (channels?.find(({ id }) => id === channelId)?.name ?? text.overview.removedChannel(kind));
  return (
    <BreakdownChart
      title={text.overview.byChannel}
      axis={text.overview.channel}
      rows={overview.byChannel}
      getName={channelName}
    />
  );
}

export function ByCarrier({ overview }: { overview: Overview }) {
  return (
    <BreakdownChart
      title={text.overview.byCarrier}
      axis={text.overview.carrier}
      rows={overview.byCarrier}
      getName={({ carrier }) => carrier}
    />
  );
}

export function ByCountry({ overview }: { overview: Overview }) {
  const countryName = ({ callingCode, region, isShared }: Overview['byCountry'][number]) => {
    if (callingCode === '') return text.overview.noCountry;
    const name = region === null ? '' : (REGIONS.of(region) ?? region);
    return `${isShared ? text.overview.andOthers(name) : name} +${callingCode}`.trim();
  };
  return (
    <BreakdownChart
      title={text.overview.byCountry}
      axis={text.overview.country}
      rows={overview.byCountry}
      getName={countryName}
    />
  );
}

interface BreakdownChartProps<T> {
  title: string;
  axis: string;
  rows: readonly T[];
  getName(row: T): string;
}

function BreakdownChart<T extends Numbers>({ title, axis, rows, getName }: BreakdownChartProps<T>) {
  const largest = [...rows].sort((a, b) => b.sent + b.accepted - a.sent - a.accepted).slice(0, MAX_BARS);
  return <Chart title={title} kind="bar" axis={axis} labels={largest.map(getName)} series={toSeries(largest)} />;
}

function toSeries(rows: readonly (Numbers | undefined)[]): Series[] {
  const values = (select: (numbers: Numbers) => number) => rows.map((row) => (row ? select(row) : 0));
  return [
    { label: text.overview.sent, color: 'blue', values: values(({ sent }) => sent) },
    { label: text.overview.delivered, color: 'green', values: values(({ delivered }) => delivered) },
    { label: text.overview.failed, color: 'red', values: values(countFailed) },
    { label: text.overview.optedOut, color: 'amber', values: values(({ opted_out }) => opted_out) },
  ];
}
