import {
  ChangeBody,
  DraftBody,
  EXAMPLE_BODY_LIMIT,
  ExampleBody,
  ExampleData,
} from '../../resources/records/template-drafts.js';
import { DoneData } from '../answers.js';
import type { Contract } from './contract.js';
import { ChannelPath } from './paths.js';
import { SyncedData, TemplateEntry, TemplatePath, TemplatesData } from './templates-schemas.js';

export const TEMPLATES = {
  'GET /accounts/:accountId/channels/:channelId/templates': {
    needs: 'viewer',
    roleScope: 'account',
    operationId: 'consoleListTemplates',
    summary: 'List the templates of a channel, and when they were last synced',
    params: ChannelPath,
    data: TemplatesData,
  },
  'POST /accounts/:accountId/channels/:channelId/templates': {
    needs: 'developer',
    roleScope: 'account',
    operationId: 'consoleCreateTemplate',
    summary: 'Create a template and submit it for approval',
    description: 'It is PENDING until the carrier has decided; a sync fetches the decision.',
    params: ChannelPath,
    body: DraftBody,
    data: TemplateEntry,
    errors: [409],
  },
  'POST /accounts/:accountId/channels/:channelId/templates/examples': {
    needs: 'developer',
    roleScope: 'account',
    operationId: 'consoleUploadTemplateExample',
    summary: 'Upload the example file of a template header',
    params: ChannelPath,
    body: ExampleBody,
    bodyLimit: EXAMPLE_BODY_LIMIT,
    data: ExampleData,
  },
  'PUT /accounts/:accountId/channels/:channelId/templates/:templateId': {
    needs: 'developer',
    roleScope: 'account',
    versioned: true,
    operationId: 'consoleEditTemplate',
    summary: 'Change the components of a template and submit it for approval again',
    description: 'For APPROVED, REJECTED and PAUSED templates. It cannot be sent until the carrier has decided.',
    params: TemplatePath,
    body: ChangeBody,
    data: TemplateEntry,
    errors: [409],
  },
  'DELETE /accounts/:accountId/channels/:channelId/templates/:templateId': {
    needs: 'developer',
    roleScope: 'account',
    operationId: 'consoleDeleteTemplate',
    summary: 'Delete a template, here and at the carrier',
    description: 'Deletes only this language of the template.',
    params: TemplatePath,
    data: DoneData,
  },
  'POST /accounts/:accountId/channels/:channelId/templates/sync': {
    needs: 'developer',
    roleScope: 'account',
    operationId: 'consoleSyncTemplates',
    summary: 'Fetch templates and approval decisions from the carrier',
    description: 'Templates that the carrier no longer has become DISABLED.',
    params: ChannelPath,
    data: SyncedData,
  },
} satisfies Contract;
