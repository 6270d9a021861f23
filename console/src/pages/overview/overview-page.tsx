import { SimpleGrid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { keepPreviousWithin } from '../../api/client/keep-previous.js';
import { overviewQuery } from '../../api/overview.js';
import { useAccountId } from '../../session/session.js';
import { text } from '../../text/en.js';
import { EmptyState } from '../../ui/feedback/empty-state.js';
import { ErrorState } from '../../ui/feedback/error-state.js';
import { LoadingState } from '../../ui/feedback/loading-state.js';
import { placeholderProps } from '../../ui/feedback/placeholder-props.js';
import { Page } from '../../ui/layout/page.js';
import { Section } from '../../ui/layout/section.js';
import { AccountState } from './account-state.js';
import { ByCarrier, ByChannel, ByCountry, OverTime } from './charts.js';
import { Figures } from './figures.js';
import { FirstSteps } from './first-steps.js';
import { RangeChoice, useRange } from './range-choice.js';

export function OverviewPage() {
  const accountId = useAccountId();
  const range = useRange();
  const { data, error, refetch, isPlaceholderData } = useQuery({
    ...overviewQuery(accountId, range),
    ...keepPreviousWithin(accountId),
  });
  return (
    <Page title={text.overview.title} lead={text.overview.lead} actions={<RangeChoice />}>
      <AccountState />
      <FirstSteps />
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <LoadingState lines={8} />}
      {data && (
        <Stack gap="lg" {...placeholderProps(isPlaceholderData)}>
          <Figures overview={data} />
          {data.totals.accepted + data.totals.inbound + data.byTime.length === 0 ? (
            <Section>
              <EmptyState icon="chart" title={text.overview.nothing} hint={text.overview.nothingHint} />
            </Section>
          ) : (
            <>
              <Section>
                <OverTime overview={data} />
              </Section>
              <SimpleGrid cols={{ base: 1, md: 3 }} style={{ alignItems: 'start' }}>
                <Section>
                  <ByChannel overview={data} />
                </Section>
                <Section>
                  <ByCarrier overview={data} />
                </Section>
                <Section>
                  <ByCountry overview={data} />
                </Section>
              </SimpleGrid>
            </>
          )}
        </Stack>
      )}
    </Page>
  );
}
