import type { Static } from '@sinclair/typebox';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { TemplateComponent } from '../../../src/carriers/content.js';
import type {
  ConversationData,
  MessageEntry,
} from '../../../src/surfaces/admin/contract/inbox/conversations-schemas.js';
import type { SentData } from '../../../src/surfaces/admin/contract/inbox/sends-schemas.js';
import type { ChannelRef } from './channel-ref.js';
import { call, callPage, type Entry } from './client/call.js';

export type Conversation = Entry<'GET /accounts/:accountId/channels/:channelId/conversations'>;
export type OpenConversation = Static<typeof ConversationData>;
export type Message = Static<typeof MessageEntry>;

export interface ConversationFilter {
  unread?: boolean | undefined;
  windowOpen?: boolean | undefined;
  search?: string | undefined;
}

const LIST_PAGE = 30;
const HISTORY_PAGE_SIZE = 40;

export const conversationsQuery = (channelRef: ChannelRef, filter: ConversationFilter) =>
  infiniteQueryOptions({
    queryKey: ['conversations', channelRef.accountId, channelRef.channelId, 'list', filter],
    queryFn: ({ pageParam: cursor, signal }) =>
      callPage('GET /accounts/:accountId/channels/:channelId/conversations', {
        params: channelRef,
        query: { ...filter, limit: LIST_PAGE, cursor },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });

export const conversationQuery = (channelRef: ChannelRef, id: string) =>
  queryOptions({
    queryKey: ['conversations', channelRef.accountId, channelRef.channelId, 'one', id],
    queryFn: ({ signal }) =>
      call('GET /accounts/:accountId/channels/:channelId/conversations/:conversationId', {
        params: { ...channelRef, conversationId: id },
        signal,
      }),
  });

export const historyQuery = (channelRef: ChannelRef, id: string) =>
  infiniteQueryOptions({
    queryKey: ['messages', channelRef.accountId, channelRef.channelId, 'conversation', id],
    queryFn: ({ pageParam: cursor, signal }) =>
      callPage('GET /accounts/:accountId/channels/:channelId/conversations/:conversationId/messages', {
        params: { ...channelRef, conversationId: id },
        query: { limit: HISTORY_PAGE_SIZE, cursor },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });

export const buildMediaUrl = ({ accountId, channelId }: ChannelRef, mediaId: string) =>
  `/admin/v1/accounts/${accountId}/channels/${channelId}/media/${mediaId}`;

/** Marks messages as read, up to and including message `upTo`. */
export const markRead = (channelRef: ChannelRef, id: string, upTo: string) =>
  call('POST /accounts/:accountId/channels/:channelId/conversations/:conversationId/read', {
    params: { ...channelRef, conversationId: id },
    body: { upTo },
  });

export type SentResult = Static<typeof SentData>;

/** @throws {ApiError} 403 `WINDOW_EXPIRED` when the 24-hour window is closed */
export const sendReply = (channelRef: ChannelRef, contactId: string, message: string, key: string) =>
  call('POST /accounts/:accountId/channels/:channelId/messages/reply', {
    params: channelRef,
    body: { contactId, message },
    idempotencyKey: key,
  });

/** @throws {ApiError} the errors of `sendReply`; also 400 if WhatsApp cannot show a caption with this type of file */
export const sendFile = (
  channelRef: ChannelRef,
  contactId: string,
  { mediaId, caption }: { mediaId: string; caption: string },
  key: string,
) =>
  call('POST /accounts/:accountId/channels/:channelId/messages/file', {
    params: channelRef,
    body: { contactId, mediaId, ...(caption !== '' && { caption }) },
    idempotencyKey: key,
  });

export interface TemplateSend {
  contactId: string;
  templateName: string;
  language: string;
  components: TemplateComponent[];
}

export const sendTemplate = (channelRef: ChannelRef, message: TemplateSend, key: string) =>
  call('POST /accounts/:accountId/channels/:channelId/messages/template', {
    params: channelRef,
    body: message,
    idempotencyKey: key,
  });

/** Sender of a simulated message: a phone number, or WhatsApp's user ID if the number is hidden. */
export type SimulatedSender = { from: string } | { userId: string; username?: string };

export const playInbound = (channelRef: ChannelRef, message: SimulatedSender & { text: string }) =>
  call('POST /accounts/:accountId/channels/:channelId/simulator/inbound', { params: channelRef, body: message });
