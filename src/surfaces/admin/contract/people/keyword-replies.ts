import { AccountPath } from '../accounts-schemas.js';
import type { Contract } from '../contract.js';
import { ChannelPath } from '../paths.js';
import { AccountRepliesBody, ChannelRepliesBody, KeywordRepliesData } from './keyword-replies-schemas.js';

export const KEYWORD_REPLIES = {
  'GET /accounts/:accountId/keyword-replies': {
    needs: 'viewer',
    roleScope: 'account',
    operationId: 'consoleGetKeywordReplies',
    summary: 'Get the settings for replies to STOP, START and HELP',
    params: AccountPath,
    data: KeywordRepliesData,
  },
  'PUT /accounts/:accountId/keyword-replies': {
    needs: 'developer',
    roleScope: 'account',
    operationId: 'consoleSetKeywordReplies',
    summary: "Change the account's replies to STOP, START and HELP",
    description: 'Fields that are left out stay as they are.',
    params: AccountPath,
    body: AccountRepliesBody,
    data: KeywordRepliesData,
  },
  'PUT /accounts/:accountId/channels/:channelId/keyword-replies': {
    needs: 'developer',
    roleScope: 'account',
    operationId: 'consoleSetChannelKeywordReplies',
    summary: 'Change what a channel does differently from its account when it replies to STOP, START and HELP',
    description: 'Fields that are left out stay as they are.',
    params: ChannelPath,
    body: ChannelRepliesBody,
    data: KeywordRepliesData,
  },
} satisfies Contract;
