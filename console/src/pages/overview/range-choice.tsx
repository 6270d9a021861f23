import { Group, SegmentedControl, TextInput } from '@mantine/core';
import type { Range } from '../../api/overview.js';
import { useSearchParams } from '../../browser/search.js';
import { text } from '../../text/en.js';

const HOURS: Readonly<Record<string, number>> = { '24h': 24, '7d': 7 * 24, '30d': 30 * 24 };
const DAY = /^\d{4}-\d{2}-\d{2}$/;

export function useRange(): Range {
  const [{ range = '24h', from, to }] = useSearchParams();
  if (range === 'custom' && from && to && DAY.test(from) && DAY.test(to) && from <= to) {
    return { fromDay: from, toDay: to };
  }
  return { hours: HOURS[range] ?? 24 };
}

/** The order of dates is checked, because date inputs do not enforce their limits on typed values. */
function isReversed({ range, from, to }: { range?: string; from?: string; to?: string }): boolean {
  return range === 'custom' && from !== undefined && to !== undefined && from > to;
}

function toDay(date: Date): string {
  const [month, day] = [date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0'));
  return `${date.getFullYear()}-${month}-${day}`;
}

export function RangeChoice() {
  const [{ range = '24h', from, to }, setParams] = useSearchParams();
  const today = toDay(new Date());
  const choose = (chosen: string) => {
    const week = new Date();
    week.setDate(week.getDate() - 6);
    setParams({
      range: chosen === '24h' ? undefined : chosen,
      from: chosen === 'custom' ? toDay(week) : undefined,
      to: chosen === 'custom' ? today : undefined,
    });
  };
  return (
    <Group gap="xs">
      {range === 'custom' && (
        <>
          <TextInput
            type="date"
            aria-label={text.overview.from}
            error={isReversed({ range, from, to }) && text.overview.reversed}
            value={from ?? ''}
            max={to ?? today}
            onChange={({ currentTarget: { value } }) => value && setParams({ from: value }, { replace: true })}
          />
          <TextInput
            type="date"
            aria-label={text.overview.to}
            value={to ?? ''}
            min={from}
            max={today}
            onChange={({ currentTarget: { value } }) => value && setParams({ to: value }, { replace: true })}
          />
        </>
      )}
      <SegmentedControl
        aria-label={text.overview.range}
        value={range}
        onChange={choose}
        data={[
          { value: '24h', label: text.overview.day },
          { value: '7d', label: text.overview.week },
          { value: '30d', label: text.overview.month },
          { value: 'custom', label: text.overview.custom },
        ]}
      />
    </Group>
  );
}
