import type { Static } from '@sinclair/typebox';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { TemplateComponent } from '../../../src/carriers/content.js';
import type {
  ConversationData,
  MessageEntry,
} from '../../../src/surfaces/admin/contract/inbox/conversations-schemas.js';
import type { SentData } from '../../../src/surfaces/admin/contract/inbox/sends-schemas.js';
import { call, callPage, type Entry } from './asking/call.js';

export type Conversation = Entry<'GET /accounts/:accountId/channels/:channelId/conversations'>;
export type OpenConversation = Static<typeof ConversationData>;
export type Message = Static<typeof MessageEntry>;

/** A channel by the ids of its path. */
export interface ChannelPlace {
  accountId: string;
  channelId: string;
}

/** What the list of conversations is narrowed to. */
export interface ConversationFilter {
  unread?: boolean | undefined;
  windowOpen?: boolean | undefined;
  search?: string | undefined;
}

const LIST_PAGE = 30;
const HISTORY_PAGE = 40;

/** The conversations of a channel, those with the newest message first, as far as they were asked for. */
export const conversationsQuery = (place: ChannelPlace, filter: ConversationFilter) =>
  infiniteQueryOptions({
    queryKey: ['conversations', place.accountId, place.channelId, 'list', filter],
    queryFn: ({ pageParam: cursor, signal }) =>
      callPage('GET /accounts/:accountId/channels/:channelId/conversations', {
        params: place,
        query: { ...filter, limit: LIST_PAGE, cursor },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });

export const conversationQuery = (place: ChannelPlace, id: string) =>
  queryOptions({
    queryKey: ['conversations', place.accountId, place.channelId, 'one', id],
    queryFn: ({ signal }) =>
      call('GET /accounts/:accountId/channels/:channelId/conversations/:conversationId', {
        params: { ...place, conversationId: id },
        signal,
      }),
  });

/** The messages of a conversation, the newest first, as far back as they were asked for. */
export const historyQuery = (place: ChannelPlace, id: string) =>
  infiniteQueryOptions({
    queryKey: ['messages', place.accountId, place.channelId, 'conversation', id],
    queryFn: ({ pageParam: cursor, signal }) =>
      callPage('GET /accounts/:accountId/channels/:channelId/conversations/:conversationId/messages', {
        params: { ...place, conversationId: id },
        query: { limit: HISTORY_PAGE, cursor },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });

/** Where the bytes of a file of the channel are. */
export const mediaAddress = ({ accountId, channelId }: ChannelPlace, mediaId: string) =>
  `/admin/v1/accounts/${accountId}/channels/${channelId}/media/${mediaId}`;

/** Marks what the contact wrote as read, up to a message that was seen. */
export const markRead = (place: ChannelPlace, id: string, upTo: string) =>
  call('POST /accounts/:accountId/channels/:channelId/conversations/:conversationId/read', {
    params: { ...place, conversationId: id },
    body: { upTo },
  });

/** What was accepted, and where it belongs. */
export type Sent = Static<typeof SentData>;

/** @throws {ApiError} 403 `WINDOW_EXPIRED` once the window is closed */
export const sendReply = (place: ChannelPlace, contactId: string, message: string, key: string) =>
  call('POST /accounts/:accountId/channels/:channelId/messages/reply', {
    params: place,
    body: { contactId, message },
    idempotencyKey: key,
  });

/** @throws {ApiError} as `sendReply`; 400 for a caption that WhatsApp does not show */
export const sendFile = (
  place: ChannelPlace,
  contactId: string,
  { mediaId, caption }: { mediaId: string; caption: string },
  key: string,
) =>
  call('POST /accounts/:accountId/channels/:channelId/messages/file', {
    params: place,
    body: { contactId, mediaId, ...(caption !== '' && { caption }) },
    idempotencyKey: key,
  });

export interface TemplateSend {
  contactId: string;
  templateName: string;
  language: string;
  components: TemplateComponent[];
}

export const sendTemplate = (place: ChannelPlace, message: TemplateSend, key: string) =>
  call('POST /accounts/:accountId/channels/:channelId/messages/template', {
    params: place,
    body: message,
    idempotencyKey: key,
  });

/** Who writes: by a number, or by WhatsApp's id of one who shows none. */
export type Writer = { from: string } | { userId: string; username?: string };

/** Has the simulator's contact write. */
export const playInbound = (place: ChannelPlace, message: Writer & { text: string }) =>
  call('POST /accounts/:accountId/channels/:channelId/simulator/inbound', { params: place, body: message });
