import { ReadBody } from '../../../resources/people/conversations.js';
import { pageQuery } from '../../answers.js';
import type { Contract } from '../contract.js';
import { ChannelPath } from '../paths.js';
import {
  ConversationData,
  ConversationEntry,
  ConversationListQuery,
  ConversationPath,
  MessageEntry,
} from './conversations-schemas.js';

export const CONVERSATIONS = {
  'GET /accounts/:accountId/channels/:channelId/conversations': {
    needs: 'viewer',
    roleScope: 'account',
    operationId: 'consoleListConversations',
    summary: 'List the conversations of a channel, newest message first',
    params: ChannelPath,
    query: ConversationListQuery,
    entry: ConversationEntry,
  },
  'GET /accounts/:accountId/channels/:channelId/conversations/:conversationId': {
    needs: 'viewer',
    roleScope: 'account',
    operationId: 'consoleGetConversation',
    summary: 'Show a conversation and its contact',
    params: ConversationPath,
    data: ConversationData,
  },
  'GET /accounts/:accountId/channels/:channelId/conversations/:conversationId/messages': {
    needs: 'viewer',
    roleScope: 'account',
    operationId: 'consoleListConversationMessages',
    summary: 'List the messages of a conversation, inbound and outbound, newest first',
    params: ConversationPath,
    query: pageQuery({}),
    entry: MessageEntry,
  },
  'POST /accounts/:accountId/channels/:channelId/conversations/:conversationId/read': {
    needs: 'developer',
    roleScope: 'account',
    operationId: 'consoleMarkConversationRead',
    summary: 'Mark inbound messages of a conversation as read',
    description: 'The contact is not notified.',
    params: ConversationPath,
    body: ReadBody,
    data: ConversationEntry,
  },
} satisfies Contract;
