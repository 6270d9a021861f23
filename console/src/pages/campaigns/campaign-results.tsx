import { SimpleGrid, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { type Campaign, type CampaignResults, campaignResultsQuery } from '../../api/campaigns.js';
import type { ChannelRef } from '../../api/channel-ref.js';
import { text } from '../../text/en.js';
import { Chart } from '../../ui/charts/chart.js';
import { ErrorState } from '../../ui/feedback/error-state.js';
import { LoadingState } from '../../ui/feedback/loading-state.js';
import { Section } from '../../ui/layout/section.js';
import { type Column, DataTable } from '../../ui/tables/data-table.js';
import { Facts } from '../../ui/tables/facts.js';
import { formatNumber, formatShare, Money } from '../../ui/values/numbers.js';
import { VariantResults } from './variant-results.js';

const words = text.campaignResults;

export function Results({ channelRef, campaign }: { channelRef: ChannelRef; campaign: Campaign }) {
  const { data, error, refetch } = useQuery({
    ...campaignResultsQuery(channelRef, campaign),
    placeholderData: keepPreviousData,
  });
  if (!data) {
    return (
      <Section title={words.title}>
        {error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <LoadingState lines={6} />}
      </Section>
    );
  }
  return (
    <>
      <Section title={words.title} lead={words.lead}>
        <ResultFacts results={data} />
        <Funnel funnel={data.funnel} />
      </Section>
      {data.byVariant.length > 0 && <VariantResults campaign={campaign} results={data} />}
      {data.byHour.length > 0 && (
        <SimpleGrid cols={{ base: 1, md: 2 }} style={{ alignItems: 'start' }}>
          <Section>
            <ByHour byHour={data.byHour} />
          </Section>
          <Section>
            <ByCarrier byCarrier={data.byCarrier} />
          </Section>
        </SimpleGrid>
      )}
      {data.byError.length > 0 && <Errors byError={data.byError} />}
    </>
  );
}

function ResultFacts({ results: { cost, currency, funnel, secondsLeft } }: { results: CampaignResults }) {
  const facts: [string, ReactNode][] = [
    [words.cost, <Money key="cost" amount={cost.total} currency={currency} />],
    [words.charged, <Money key="charged" amount={cost.charged} currency={currency} />],
    [words.refunded, <Money key="refunded" amount={cost.refunded} currency={currency} />],
  ];
  if (funnel.delivered > 0) {
    const perDelivery = Number((cost.total / funnel.delivered).toFixed(4));
    facts.push([words.costPerDelivery, <Money key="per-delivery" amount={perDelivery} currency={currency} />]);
  }
  if (secondsLeft !== null) facts.push([words.timeLeft, formatTimeLeft(secondsLeft)]);
  return <Facts facts={facts} />;
}

function formatTimeLeft(seconds: number): string {
  if (seconds < 60) return words.soon;
  const minutes = Math.round(seconds / 60);
  return minutes < 120
    ? words.minutesLeft(formatNumber(minutes))
    : words.hoursLeft(formatNumber(Math.round(minutes / 60)));
}

const FUNNEL_STEPS = ['recipients', 'sent', 'delivered', 'read', 'replied', 'clicked', 'optedOut'] as const;

function Funnel({ funnel }: { funnel: CampaignResults['funnel'] }) {
  const { labels, series } = useMemo(
    () => ({
      labels: FUNNEL_STEPS.map((step) =>
        step === 'recipients' || funnel.recipients === 0
          ? words.steps[step]
          : words.stepWithShare(words.steps[step], formatShare(funnel[step] / funnel.recipients)),
      ),
      series: [{ label: words.people, values: FUNNEL_STEPS.map((step) => funnel[step]) }],
    }),
    [funnel],
  );
  return <Chart title={words.funnel} kind="bar" axis={words.step} labels={labels} series={series} />;
}

const HOUR_MS = 3_600_000;
/** Longer periods leave out hours without events. */
const MAX_HOURS = 24 * 31;
const HOUR = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});

function ByHour({ byHour }: { byHour: CampaignResults['byHour'] }) {
  const { labels, series } = useMemo(() => {
    const hours = fillHours(byHour);
    return {
      labels: hours.map(({ start }) => HOUR.format(new Date(start))),
      series: [
        { label: words.steps.sent, color: 'blue' as const, values: hours.map(({ sent }) => sent) },
        { label: words.steps.delivered, color: 'green' as const, values: hours.map(({ delivered }) => delivered) },
        { label: words.steps.read, color: 'violet' as const, values: hours.map(({ read }) => read) },
        { label: words.failed, color: 'red' as const, values: hours.map(({ failed }) => failed) },
      ],
    };
  }, [byHour]);
  return <Chart title={words.byHour} axis={words.hour} labels={labels} series={series} />;
}

function fillHours(byHour: CampaignResults['byHour']): CampaignResults['byHour'] {
  // Starts with an empty hour, because a line needs two points.
  const first = Date.parse(byHour[0]?.start ?? '') - HOUR_MS;
  const count = (Date.parse(byHour.at(-1)?.start ?? '') - first) / HOUR_MS + 1;
  if (!(count <= MAX_HOURS)) return byHour;
  const counts = new Map(byHour.map((hour) => [Date.parse(hour.start), hour]));
  return Array.from({ length: count }, (_, index) => {
    const time = first + index * HOUR_MS;
    return counts.get(time) ?? { start: new Date(time).toISOString(), sent: 0, delivered: 0, read: 0, failed: 0 };
  });
}

function ByCarrier({ byCarrier }: { byCarrier: CampaignResults['byCarrier'] }) {
  const { labels, series } = useMemo(
    () => ({
      labels: byCarrier.map(({ carrier }) => carrier),
      series: [
        { label: words.steps.sent, color: 'blue' as const, values: byCarrier.map(({ sent }) => sent) },
        { label: words.steps.delivered, color: 'green' as const, values: byCarrier.map(({ delivered }) => delivered) },
        { label: words.failed, color: 'red' as const, values: byCarrier.map(({ failed }) => failed) },
      ],
    }),
    [byCarrier],
  );
  return <Chart title={words.byCarrier} kind="bar" axis={words.carrier} labels={labels} series={series} />;
}

type ErrorRow = CampaignResults['byError'][number];

function Errors({ byError }: { byError: readonly ErrorRow[] }) {
  const columns: Column<ErrorRow>[] = [
    {
      key: 'error',
      header: words.error,
      bare: true,
      breaks: true,
      render: ({ errorCode, errorMessage, meaning }) => (
        <Stack gap={2}>
          <span>{meaning ?? errorMessage ?? words.noCode}</span>
          <Text size="xs" c="dimmed">
            {errorCode || words.noCode}
          </Text>
        </Stack>
      ),
    },
    { key: 'advice', header: words.advice, breaks: true, render: ({ advice }) => advice ?? words.noAdvice },
    {
      key: 'messages',
      header: words.messages,
      align: 'right',
      render: ({ messages }) => formatNumber(messages),
    },
  ];
  return (
    <Section title={words.errors} lead={words.errorsLead}>
      <DataTable caption={words.errors} columns={columns} rows={byError} rowKey={({ errorCode }) => errorCode} />
    </Section>
  );
}
