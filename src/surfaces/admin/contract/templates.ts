import {
  ChangeBody,
  DraftBody,
  EXAMPLE_BODY_LIMIT,
  ExampleBody,
  ExampleData,
} from '../../resources/records/template-drafts.js';
import { DoneData } from '../answers.js';
import { SyncedData, TemplateEntry, TemplatePath, TemplatesData } from './templates-schemas.js';
import { ChannelPath } from './paths.js';
import type { Contract } from './contract.js';

export const TEMPLATES = {
  'GET /accounts/:accountId/channels/:channelId/templates': {
    needs: 'viewer',
    of: 'account',
    operationId: 'consoleListTemplates',
    summary: 'List the templates of a channel, and when they were synced',
    params: ChannelPath,
    data: TemplatesData,
  },
  'POST /accounts/:accountId/channels/:channelId/templates': {
    needs: 'developer',
    of: 'account',
    operationId: 'consoleCreateTemplate',
    summary: 'Make a template and hand it in for approval',
    description: 'It is PENDING until the carrier has decided; a sync fetches the decision.',
    params: ChannelPath,
    body: DraftBody,
    data: TemplateEntry,
    errors: [409],
  },
  'POST /accounts/:accountId/channels/:channelId/templates/examples': {
    needs: 'developer',
    of: 'account',
    operationId: 'consoleUploadTemplateExample',
    summary: 'Upload the example of a header that shows a file',
    params: ChannelPath,
    body: ExampleBody,
    bodyLimit: EXAMPLE_BODY_LIMIT,
    data: ExampleData,
  },
  'PUT /accounts/:accountId/channels/:channelId/templates/:templateId': {
    needs: 'developer',
    of: 'account',
    versioned: true,
    operationId: 'consoleEditTemplate',
    summary: 'Give a template other components and hand it in for review again',
    description: 'One that is APPROVED, REJECTED or PAUSED; until the carrier has decided it cannot be sent.',
    params: TemplatePath,
    body: ChangeBody,
    data: TemplateEntry,
    errors: [409],
  },
  'DELETE /accounts/:accountId/channels/:channelId/templates/:templateId': {
    needs: 'developer',
    of: 'account',
    operationId: 'consoleDeleteTemplate',
    summary: 'Delete a template, at the carrier too',
    description: 'This language of it alone.',
    params: TemplatePath,
    data: DoneData,
  },
  'POST /accounts/:accountId/channels/:channelId/templates/sync': {
    needs: 'developer',
    of: 'account',
    operationId: 'consoleSyncTemplates',
    summary: "Take over the carrier's templates and decisions",
    description: 'Templates that the carrier no longer has become DISABLED.',
    params: ChannelPath,
    data: SyncedData,
  },
} satisfies Contract;
