import { queryOptions } from '@tanstack/react-query';
import { type Body, call, type Data } from './client/call.js';

export type KeywordReplies = Data<'GET /accounts/:accountId/keyword-replies'>;

export const keywordRepliesQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['keyword-replies', accountId],
    queryFn: ({ signal }) => call('GET /accounts/:accountId/keyword-replies', { params: { accountId }, signal }),
  });

export const setKeywordReplies = (accountId: string, body: Body<'PUT /accounts/:accountId/keyword-replies'>) =>
  call('PUT /accounts/:accountId/keyword-replies', { params: { accountId }, body });

export const setChannelKeywordReplies = (
  accountId: string,
  channelId: string,
  body: Body<'PUT /accounts/:accountId/channels/:channelId/keyword-replies'>,
) => call('PUT /accounts/:accountId/channels/:channelId/keyword-replies', { params: { accountId, channelId }, body });
