import { queryOptions } from '@tanstack/react-query';
import { call, type Data } from './client/call.js';
import { dayRangeToTimes } from './days.js';

export type Overview = Data<'GET /accounts/:accountId/overview'>;
export type InstallationOverview = Data<'GET /overview'>;
export type Attention = Data<'GET /attention'>;
export type Numbers = Overview['totals'];

/** Time range: either the last `hours` hours, or days such as `2027-01-31` in the viewer's time zone. */
export type Range = { hours: number } | { fromDay: string; toDay: string };

const HOUR_MS = 3_600_000;

export const overviewQuery = (accountId: string, range: Range) =>
  queryOptions({
    queryKey: ['overview', accountId, range],
    queryFn: ({ signal }) =>
      call('GET /accounts/:accountId/overview', {
        params: { accountId },
        query: { ...toTimeRange(range), zone: Intl.DateTimeFormat().resolvedOptions().timeZone },
        signal,
      }),
  });

export const installationOverviewQuery = (range: Range) =>
  queryOptions({
    queryKey: ['overview', null, range],
    queryFn: ({ signal }) => call('GET /overview', { query: toTimeRange(range), signal }),
  });

/** The overview is polled, because the live stream does not report the results of carriers and webhooks. */
const POLL_MS = 10_000;

export const attentionQuery = queryOptions({
  queryKey: ['overview', null, 'attention'],
  queryFn: ({ signal }) => call('GET /attention', { signal }),
  refetchInterval: POLL_MS,
});

function toTimeRange(range: Range): { from: string; to?: string } {
  if ('hours' in range) return { from: new Date(Date.now() - (range.hours - 1) * HOUR_MS).toISOString() };
  return dayRangeToTimes(range.fromDay, range.toDay);
}
