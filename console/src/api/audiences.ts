import { queryOptions } from '@tanstack/react-query';
import type { Condition } from '../../../src/features/audiences/condition.js';
import type { ChannelRef } from './channel-ref.js';
import { type Body, call, callPage, type Data, type Entry } from './client/call.js';
import { keepPreviousWithin } from './client/keep-previous.js';

export type Audience = Omit<Entry<'GET /accounts/:accountId/channels/:channelId/audiences'>, 'condition'> & {
  condition: Condition;
};
export type AudiencePreview = Data<'POST /accounts/:accountId/channels/:channelId/audiences/preview'>;

export const audiencesKey = ({ accountId, channelId }: ChannelRef) => ['audiences', accountId, channelId] as const;

const MAX_OFFERED_AUDIENCES = 200;

/** For choices of an audience. */
export const audienceChoicesQuery = (channelRef: ChannelRef) =>
  queryOptions({
    queryKey: [...audiencesKey(channelRef), 'choice'],
    queryFn: async ({ signal }) =>
      (
        await callPage('GET /accounts/:accountId/channels/:channelId/audiences', {
          params: channelRef,
          query: { limit: MAX_OFFERED_AUDIENCES },
          signal,
        })
      ).data,
  });

export const audienceQuery = (channelRef: ChannelRef, id: string) =>
  queryOptions({
    queryKey: [...audiencesKey(channelRef), id],
    queryFn: async ({ signal }) =>
      (await call('GET /accounts/:accountId/channels/:channelId/audiences/:id', {
        params: { ...channelRef, id },
        signal,
      })) as Audience,
  });

/** Keeps showing the last preview while the condition is edited. */
export const audiencePreviewQuery = (channelRef: ChannelRef, condition: Condition | null) =>
  queryOptions({
    queryKey: ['audience-preview', channelRef.accountId, channelRef.channelId, condition],
    queryFn: ({ signal }) =>
      call('POST /accounts/:accountId/channels/:channelId/audiences/preview', {
        params: channelRef,
        body: { condition },
        signal,
      }),
    enabled: condition !== null,
    retry: false,
    ...keepPreviousWithin(channelRef),
  });

export const createAudience = (
  channelRef: ChannelRef,
  body: Body<'POST /accounts/:accountId/channels/:channelId/audiences'>,
) => call('POST /accounts/:accountId/channels/:channelId/audiences', { params: channelRef, body });

export const updateAudience = (
  channelRef: ChannelRef,
  id: string,
  body: Body<'PATCH /accounts/:accountId/channels/:channelId/audiences/:id'>,
) => call('PATCH /accounts/:accountId/channels/:channelId/audiences/:id', { params: { ...channelRef, id }, body });

export const deleteAudience = (channelRef: ChannelRef, id: string) =>
  call('DELETE /accounts/:accountId/channels/:channelId/audiences/:id', { params: { ...channelRef, id } });
