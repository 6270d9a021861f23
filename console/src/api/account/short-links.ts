import { queryOptions } from '@tanstack/react-query';
import { type Body, call, type Data } from '../client/call.js';

export type LinkSettings = Data<'GET /accounts/:accountId/links'>;

export const linkSettingsQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['links', accountId],
    queryFn: ({ signal }) => call('GET /accounts/:accountId/links', { params: { accountId }, signal }),
  });

export const changeLinkSettings = (accountId: string, body: Body<'PUT /accounts/:accountId/links'>) =>
  call('PUT /accounts/:accountId/links', { params: { accountId }, body });

export const checkLinkDomain = (accountId: string) =>
  call('POST /accounts/:accountId/links/check-domain', { params: { accountId } });
