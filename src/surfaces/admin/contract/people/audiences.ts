import { DoneData } from '../../answers.js';
import { type Contract, READ, WRITE } from '../contract.js';
import { ChannelPath, ChannelResourcePath } from '../paths.js';
import {
  AudienceEntry,
  AudienceListQuery,
  CreateAudienceBody,
  PreviewBody,
  PreviewData,
  UpdateAudienceBody,
} from './audiences-schemas.js';

export const AUDIENCES = {
  'GET /accounts/:accountId/channels/:channelId/audiences': {
    ...READ,
    operationId: 'consoleListAudiences',
    summary: 'List the audiences of a channel, newest first',
    params: ChannelPath,
    query: AudienceListQuery,
    entry: AudienceEntry,
  },
  'POST /accounts/:accountId/channels/:channelId/audiences': {
    ...WRITE,
    operationId: 'consoleCreateAudience',
    summary: 'Save a condition that selects contacts',
    params: ChannelPath,
    body: CreateAudienceBody,
    data: AudienceEntry,
    errors: [409],
  },
  'POST /accounts/:accountId/channels/:channelId/audiences/preview': {
    ...WRITE,
    operationId: 'consolePreviewAudience',
    summary: 'Count the contacts who meet a condition, and show ten of them',
    params: ChannelPath,
    body: PreviewBody,
    data: PreviewData,
    errors: [409],
  },
  'GET /accounts/:accountId/channels/:channelId/audiences/:id': {
    ...READ,
    operationId: 'consoleGetAudience',
    summary: 'Show an audience',
    params: ChannelResourcePath,
    data: AudienceEntry,
  },
  'PATCH /accounts/:accountId/channels/:channelId/audiences/:id': {
    ...WRITE,
    operationId: 'consoleUpdateAudience',
    summary: 'Change the name or the condition of an audience',
    params: ChannelResourcePath,
    body: UpdateAudienceBody,
    data: AudienceEntry,
    errors: [409],
  },
  'DELETE /accounts/:accountId/channels/:channelId/audiences/:id': {
    ...WRITE,
    operationId: 'consoleDeleteAudience',
    summary: 'Delete an audience, but not its contacts',
    params: ChannelResourcePath,
    data: DoneData,
  },
} satisfies Contract;
