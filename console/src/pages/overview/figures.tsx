import { Paper, SimpleGrid, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Overview } from '../../api/overview.js';
import { text } from '../../text/en.js';
import { formatMoney, formatNumber, formatShare, Money, NumberText } from '../../ui/values/numbers.js';
import { TimeText } from '../../ui/values/time-text.js';

export function Figures({ overview }: { overview: Overview }) {
  const { totals, deliveryRate, timeToDelivery, currency, queue } = overview;
  return (
    <SimpleGrid component="section" aria-label={text.overview.figures} cols={{ base: 2, sm: 3, lg: 4 }} spacing="sm">
      <Figure label={text.overview.sent} note={text.overview.acceptedNote(formatNumber(totals.accepted))}>
        <NumberText value={totals.sent} />
      </Figure>
      <Figure
        label={text.overview.delivered}
        note={deliveryRate === null ? text.overview.noRate : text.overview.rate(formatShare(deliveryRate))}
      >
        <NumberText value={totals.delivered} />
      </Figure>
      <Figure label={text.overview.failed} note={text.overview.failedNote(totals.expired, totals.canceled)}>
        <NumberText value={countFailed(totals)} />
      </Figure>
      <Figure label={text.overview.optedOut} note={text.overview.optedOutNote}>
        <NumberText value={totals.opted_out} />
      </Figure>
      <Figure
        label={text.overview.timeToDelivery}
        note={
          timeToDelivery
            ? text.overview.p95(formatShare(0.95), formatDuration(timeToDelivery.p95))
            : text.overview.noTime
        }
      >
        {timeToDelivery ? formatDuration(timeToDelivery.mean) : '–'}
      </Figure>
      <Figure label={text.overview.spend} note={text.overview.refunds(formatMoney(overview.refunds, currency))}>
        <Money amount={overview.spend} currency={currency} />
      </Figure>
      <Figure label={text.overview.balance} note={text.overview.balanceNote}>
        <Money amount={overview.balance} currency={currency} />
      </Figure>
      <WaitingFigure queue={queue} />
    </SimpleGrid>
  );
}

export function WaitingFigure({ queue }: { queue: Overview['queue'] }) {
  return (
    <Figure
      label={text.overview.waiting}
      note={
        queue.oldestAt ? (
          <>
            {text.overview.oldest} <TimeText value={queue.oldestAt} as="ago" />
          </>
        ) : queue.isPartial ? (
          text.overview.noneSeen
        ) : (
          text.overview.queueEmpty
        )
      }
    >
      <NumberText value={queue.waiting} />
      {queue.isPartial && '+'}
    </Figure>
  );
}

/** Canceled messages do not count as failed. */
export function countFailed(numbers: Overview['totals']): number {
  return numbers.undelivered + numbers.failed + numbers.rejected + numbers.expired;
}

export function Figure({ label, note, children }: { label: string; note: ReactNode; children: ReactNode }) {
  return (
    <Paper withBorder radius="md" p="md">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text fz={{ base: 22, sm: 28 }} fw={650} lh={1.3} style={{ fontVariantNumeric: 'tabular-nums' }}>
        {children}
      </Text>
      <Text size="xs" c="dimmed">
        {note}
      </Text>
    </Paper>
  );
}

function formatDuration(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  const [value, unit] =
    seconds < 60 ? [seconds, 'second'] : seconds < 3_600 ? [seconds / 60, 'minute'] : [seconds / 3_600, 'hour'];
  return new Intl.NumberFormat(undefined, {
    style: 'unit',
    unit: unit as string,
    unitDisplay: 'short',
    maximumSignificantDigits: 2,
  }).format(value as number);
}
