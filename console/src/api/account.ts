import type { Static } from '@sinclair/typebox';
import { queryOptions } from '@tanstack/react-query';
import type { AccountData, ChannelEntry } from '../../../src/surfaces/admin/endpoints/accounts-schemas.js';
import { call } from './call.js';

/** An account with its balance and channels. */
export type Account = Static<typeof AccountData>;
export type Channel = Static<typeof ChannelEntry>;

/** The account of an address. Its topic is `balance`, for that is what changes. */
export const accountQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['balance', accountId, 'account'],
    queryFn: ({ signal }) => call('GET /accounts/:accountId', { params: { accountId }, signal }),
  });
