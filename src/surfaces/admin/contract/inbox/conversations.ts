import { ReadBody } from '../../../resources/people/conversations.js';
import { pageQuery } from '../../answers.js';
import {
  ConversationData,
  ConversationEntry,
  ConversationListQuery,
  ConversationPath,
  MessageEntry,
} from './conversations-schemas.js';
import { ChannelPath } from '../paths.js';
import type { Contract } from '../contract.js';

export const CONVERSATIONS = {
  'GET /accounts/:accountId/channels/:channelId/conversations': {
    needs: 'viewer',
    of: 'account',
    operationId: 'consoleListConversations',
    summary: 'List the conversations of a channel, those with the newest message first',
    params: ChannelPath,
    query: ConversationListQuery,
    entry: ConversationEntry,
  },
  'GET /accounts/:accountId/channels/:channelId/conversations/:conversationId': {
    needs: 'viewer',
    of: 'account',
    operationId: 'consoleGetConversation',
    summary: 'Show a conversation and its contact',
    params: ConversationPath,
    data: ConversationData,
  },
  'GET /accounts/:accountId/channels/:channelId/conversations/:conversationId/messages': {
    needs: 'viewer',
    of: 'account',
    operationId: 'consoleListConversationMessages',
    summary: 'List the messages of a conversation, of both directions, the newest first',
    params: ConversationPath,
    query: pageQuery({}),
    entry: MessageEntry,
  },
  'POST /accounts/:accountId/channels/:channelId/conversations/:conversationId/read': {
    needs: 'developer',
    of: 'account',
    operationId: 'consoleMarkConversationRead',
    summary: 'Mark what the contact wrote as read',
    description: 'The contact is told nothing.',
    params: ConversationPath,
    body: ReadBody,
    data: ConversationEntry,
  },
} satisfies Contract;
