import type { Static } from '@sinclair/typebox';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { InboundData } from '../../../src/surfaces/admin/contract/messages/inbound-schemas.js';
import type { MessageData, MessageEntry } from '../../../src/surfaces/admin/contract/messages/messages-schemas.js';
import { call, callPage } from './client/call.js';

export type Message = Static<typeof MessageEntry>;
export type MessageDetails = Static<typeof MessageData>;
export type ReceivedMessage = Static<typeof InboundData>;
export type Step = MessageDetails['timeline'][number];

export const messageQuery = (accountId: string, messageId: string) =>
  queryOptions({
    queryKey: ['messages', accountId, messageId],
    queryFn: ({ signal }) =>
      call('GET /accounts/:accountId/messages/:messageId', { params: { accountId, messageId }, signal }),
  });

/** Newest message, or null if the account has not sent any message. */
export const newestMessageQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['messages', accountId, 'newest'],
    queryFn: async ({ signal }) =>
      (await callPage('GET /accounts/:accountId/messages', { params: { accountId }, query: { limit: 1 }, signal }))
        .data[0] ?? null,
  });

export function useCancelMessage(accountId: string, messageId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () =>
      call('POST /accounts/:accountId/messages/:messageId/cancel', { params: { accountId, messageId } }),
    onSuccess: (message) => {
      client.setQueryData(messageQuery(accountId, messageId).queryKey, message);
      void client.invalidateQueries({ queryKey: ['messages', accountId] });
      void client.invalidateQueries({ queryKey: ['balance', accountId] });
    },
  });
}
