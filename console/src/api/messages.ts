import type { Static } from '@sinclair/typebox';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { MessageData, MessageEntry } from '../../../src/surfaces/admin/endpoints/messages/message-schemas.js';
import { get, send } from './request.js';

/** A message in a list. */
export type Message = Static<typeof MessageEntry>;
/** A message with its history. */
export type MessageDetails = Static<typeof MessageData>;
export type Step = MessageDetails['timeline'][number];

export const messagesPath = (accountId: string) => `/accounts/${accountId}/messages`;

export const messageQuery = (accountId: string, messageId: string) =>
  queryOptions({
    queryKey: ['messages', accountId, messageId],
    queryFn: ({ signal }) =>
      get<MessageDetails>(`${messagesPath(accountId)}/${encodeURIComponent(messageId)}`, undefined, signal),
  });

/** Cancels a message that waits. */
export function useCancelMessage(accountId: string, messageId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => send<MessageDetails>('POST', `${messagesPath(accountId)}/${messageId}/cancel`),
    onSuccess: (message) => {
      client.setQueryData(messageQuery(accountId, messageId).queryKey, message);
      void client.invalidateQueries({ queryKey: ['messages', accountId] });
      void client.invalidateQueries({ queryKey: ['balance', accountId] });
    },
  });
}
