import { Type } from '@sinclair/typebox';
import { AccountPath } from '../accounts-schemas.js';
import type { Contract } from '../contract.js';
import { ChannelPath } from '../paths.js';
import {
  ChannelCarrierBody,
  ChannelData,
  ChannelDeletionBody,
  ChannelDeletionData,
  ChannelSwitchBody,
  NewChannelBody,
  ResumeData,
} from './channels-schemas.js';

export const CHANNELS = {
  'GET /accounts/:accountId/channels': {
    needs: 'viewer',
    roleScope: 'account',
    operationId: 'consoleListChannels',
    summary: 'List the channels of an account with their health, oldest first',
    params: AccountPath,
    data: Type.Array(ChannelData),
  },
  'POST /accounts/:accountId/channels': {
    needs: 'owner',
    roleScope: 'installation',
    operationId: 'consoleCreateChannel',
    summary: 'Create a channel',
    params: AccountPath,
    body: NewChannelBody,
    data: ChannelData,
    errors: [409],
  },
  'PATCH /accounts/:accountId/channels/:channelId': {
    needs: 'owner',
    roleScope: 'account',
    operationId: 'consoleSwitchChannel',
    summary: 'Enable or disable a channel',
    params: ChannelPath,
    body: ChannelSwitchBody,
    data: ChannelData,
  },
  'PUT /accounts/:accountId/channels/:channelId/carrier': {
    needs: 'owner',
    roleScope: 'installation',
    operationId: 'consoleSetChannelCarrier',
    summary: 'Change the carrier of a channel, or its settings at the carrier',
    params: ChannelPath,
    body: ChannelCarrierBody,
    data: ChannelData,
    errors: [409],
  },
  'POST /accounts/:accountId/channels/:channelId/resume': {
    needs: 'owner',
    roleScope: 'account',
    operationId: 'consoleResumeChannel',
    summary: 'Resume a channel that its carrier paused, and its queued messages',
    params: ChannelPath,
    data: ResumeData,
  },
  'POST /accounts/:accountId/channels/:channelId/delete': {
    needs: 'owner',
    roleScope: 'installation',
    operationId: 'consoleDeleteChannel',
    summary: 'Delete an unused channel; its messages stay readable',
    description: '409 while it has unfinished messages, campaigns or imports; the error names them.',
    params: ChannelPath,
    body: ChannelDeletionBody,
    data: ChannelDeletionData,
    errors: [409],
  },
} satisfies Contract;
