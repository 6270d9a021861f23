import { queryOptions } from '@tanstack/react-query';
import { call, type Data } from './asking/call.js';
import { momentsOfDays } from './days.js';

/** What became of an account's messages in some time. */
export type Overview = Data<'GET /accounts/:accountId/overview'>;
/** The same of all accounts, and by account. */
export type InstallationOverview = Data<'GET /overview'>;
/** What does not go as it should. */
export type Attention = Data<'GET /attention'>;
export type Numbers = Overview['totals'];

/** A time to look at: so many hours up to now, or from one day to another of the viewer's zone (`2027-01-31`). */
export type Range = { hours: number } | { fromDay: string; toDay: string };

const HOUR_MS = 3_600_000;

export const overviewQuery = (accountId: string, range: Range) =>
  queryOptions({
    queryKey: ['overview', accountId, range],
    queryFn: ({ signal }) =>
      call('GET /accounts/:accountId/overview', {
        params: { accountId },
        query: { ...momentsOf(range), zone: Intl.DateTimeFormat().resolvedOptions().timeZone },
        signal,
      }),
  });

export const installationOverviewQuery = (range: Range) =>
  queryOptions({
    queryKey: ['overview', null, range],
    queryFn: ({ signal }) => call('GET /overview', { query: momentsOf(range), signal }),
  });

/** Milliseconds between two looks: what carriers and webhooks come to makes no topic stale. */
const LOOK_MS = 10_000;

export const attentionQuery = queryOptions({
  queryKey: ['overview', null, 'attention'],
  queryFn: ({ signal }) => call('GET /attention', { signal }),
  refetchInterval: LOOK_MS,
});

function momentsOf(range: Range): { from: string; to?: string } {
  if ('hours' in range) return { from: new Date(Date.now() - (range.hours - 1) * HOUR_MS).toISOString() };
  return momentsOfDays(range.fromDay, range.toDay);
}
