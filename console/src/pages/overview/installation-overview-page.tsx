import { SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { keepPreviousWithin } from '../../api/client/keep-previous.js';
import { type InstallationOverview, installationOverviewQuery } from '../../api/overview.js';
import { text } from '../../text/en.js';
import { TextLink } from '../../ui/basics/links.js';
import { EmptyState } from '../../ui/feedback/empty-state.js';
import { ErrorState } from '../../ui/feedback/error-state.js';
import { LoadingState } from '../../ui/feedback/loading-state.js';
import { placeholderProps } from '../../ui/feedback/placeholder-props.js';
import { Page } from '../../ui/layout/page.js';
import { type Column, DataTable, nameColumn } from '../../ui/tables/data-table.js';
import { formatNumber, Money, NumberText } from '../../ui/values/numbers.js';
import { TimeText } from '../../ui/values/time-text.js';
import { AttentionPart } from './attention.js';
import { countFailed, Figure, WaitingFigure } from './figures.js';
import { RangeChoice, useRange } from './range-choice.js';

const words = text.overview;

export function InstallationOverviewPage() {
  const range = useRange();
  const query = installationOverviewQuery(range);
  const { data, error, refetch, isPlaceholderData } = useQuery({ ...query, ...keepPreviousWithin(null) });
  return (
    <Page title={words.title} lead={words.leadOfAll} actions={<RangeChoice />}>
      <AttentionPart queue={data?.queue} />
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <LoadingState lines={8} />}
      {data && (
        <Stack gap="lg" {...placeholderProps(isPlaceholderData)}>
          <Totals overview={data} />
          <DataTable
            caption={words.byAccount}
            columns={COLUMNS}
            rows={data.accounts}
            rowKey={({ accountId }) => accountId}
            empty={<EmptyState icon="chart" title={words.nothing} hint={words.nothingHint} />}
          />
          {data.moreAccounts && (
            <Text size="sm" c="dimmed">
              {words.moreAccounts(data.accounts.length)}
            </Text>
          )}
        </Stack>
      )}
    </Page>
  );
}

function Totals({ overview: { totals, queue } }: { overview: InstallationOverview }) {
  return (
    <SimpleGrid component="section" aria-label={words.figures} cols={{ base: 2, lg: 4 }} spacing="sm">
      <Figure label={words.sent} note={words.acceptedNote(formatNumber(totals.accepted))}>
        <NumberText value={totals.sent} />
      </Figure>
      <Figure label={words.delivered} note={words.readNote(formatNumber(totals.read))}>
        <NumberText value={totals.delivered} />
      </Figure>
      <Figure label={words.failed} note={words.failedNote(totals.expired, totals.canceled)}>
        <NumberText value={countFailed(totals)} />
      </Figure>
      <WaitingFigure queue={queue} />
    </SimpleGrid>
  );
}

type Row = InstallationOverview['accounts'][number];

const numberColumn = (key: string, header: string, getCount: (row: Row) => number): Column<Row> => ({
  key,
  header,
  align: 'right',
  nowrap: true,
  render: (row) => <NumberText value={getCount(row)} />,
});

const COLUMNS: readonly Column<Row>[] = [
  nameColumn(words.account, ({ accountId, name }) => (
    <TextLink to="/a/$accountId/overview" params={{ accountId }}>
      {name}
    </TextLink>
  )),
  numberColumn('accepted', words.accepted, ({ totals }) => totals.accepted),
  numberColumn('sent', words.sent, ({ totals }) => totals.sent),
  numberColumn('delivered', words.delivered, ({ totals }) => totals.delivered),
  numberColumn('failed', words.failed, ({ totals }) => countFailed(totals)),
  {
    key: 'spend',
    header: words.spend,
    align: 'right',
    nowrap: true,
    render: ({ spend, currency }) => <Money amount={spend} currency={currency} />,
  },
  numberColumn('waiting', words.waitingHeader, ({ waiting }) => waiting),
  {
    key: 'oldest',
    header: words.oldestHeader,
    nowrap: true,
    render: ({ oldestAt }) => <TimeText value={oldestAt} as="ago" none="–" />,
  },
];
