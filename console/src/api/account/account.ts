import { queryOptions } from '@tanstack/react-query';
import { call, type Data } from '../client/call.js';

export type Account = Data<'GET /accounts/:accountId'>;
export type Channel = Account['channels'][number];

/** The query key starts with the topic `balance`, because no other part of the account changes as often. */
export const accountQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['balance', accountId, 'account'],
    queryFn: ({ signal }) => call('GET /accounts/:accountId', { params: { accountId }, signal }),
  });
