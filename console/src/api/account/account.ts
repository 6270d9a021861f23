import { queryOptions } from '@tanstack/react-query';
import { call, type Data } from '../asking/call.js';

/** An account with its balance and channels. */
export type Account = Data<'GET /accounts/:accountId'>;
export type Channel = Account['channels'][number];

/** The account of an address. Its topic is `balance`, for that is what changes. */
export const accountQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['balance', accountId, 'account'],
    queryFn: ({ signal }) => call('GET /accounts/:accountId', { params: { accountId }, signal }),
  });
