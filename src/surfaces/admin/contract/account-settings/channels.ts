import { Type } from '@sinclair/typebox';
import {
  ChannelCarrierBody,
  ChannelData,
  ChannelDeletionBody,
  ChannelDeletionData,
  ChannelSwitchBody,
  NewChannelBody,
  ResumeData,
} from './channels-schemas.js';
import { AccountPath } from '../accounts-schemas.js';
import { ChannelPath } from '../paths.js';
import type { Contract } from '../contract.js';

export const CHANNELS = {
  'GET /accounts/:accountId/channels': {
    needs: 'viewer',
    of: 'account',
    operationId: 'consoleListChannels',
    summary: 'List the channels of an account and how they fare, the oldest first',
    params: AccountPath,
    data: Type.Array(ChannelData),
  },
  'POST /accounts/:accountId/channels': {
    needs: 'owner',
    of: 'installation',
    operationId: 'consoleCreateChannel',
    summary: 'Make a channel',
    params: AccountPath,
    body: NewChannelBody,
    data: ChannelData,
    errors: [409],
  },
  'PATCH /accounts/:accountId/channels/:channelId': {
    needs: 'owner',
    of: 'account',
    operationId: 'consoleSwitchChannel',
    summary: 'Switch a channel on or off',
    params: ChannelPath,
    body: ChannelSwitchBody,
    data: ChannelData,
  },
  'PUT /accounts/:accountId/channels/:channelId/carrier': {
    needs: 'owner',
    of: 'installation',
    operationId: 'consoleSetChannelCarrier',
    summary: 'Give a channel another carrier, or its carrier other settings',
    params: ChannelPath,
    body: ChannelCarrierBody,
    data: ChannelData,
    errors: [409],
  },
  'POST /accounts/:accountId/channels/:channelId/resume': {
    needs: 'owner',
    of: 'account',
    operationId: 'consoleResumeChannel',
    summary: 'Let a channel send again that its carrier had paused, and what waits in it',
    params: ChannelPath,
    data: ResumeData,
  },
  'POST /accounts/:accountId/channels/:channelId/delete': {
    needs: 'owner',
    of: 'installation',
    operationId: 'consoleDeleteChannel',
    summary: 'Delete a channel that nothing uses any more; what was sent and received stays readable',
    description: 'While messages, campaigns or imports of it are under way: 409, which names them.',
    params: ChannelPath,
    body: ChannelDeletionBody,
    data: ChannelDeletionData,
    errors: [409],
  },
} satisfies Contract;
