import type { Static } from '@sinclair/typebox';
import { queryOptions } from '@tanstack/react-query';
import type { TemplateEntry } from '../../../src/surfaces/admin/contract/templates-schemas.js';
import { type Body, call } from './client/call.js';

export type Template = Static<typeof TemplateEntry>;
export type TemplateDraft = Body<'POST /accounts/:accountId/channels/:channelId/templates'>;

export const templatesQuery = (accountId: string, channelId: string) =>
  queryOptions({
    queryKey: ['templates', accountId, channelId],
    queryFn: ({ signal }) =>
      call('GET /accounts/:accountId/channels/:channelId/templates', { params: { accountId, channelId }, signal }),
  });

export const createTemplate = (accountId: string, channelId: string, draft: TemplateDraft) =>
  call('POST /accounts/:accountId/channels/:channelId/templates', { params: { accountId, channelId }, body: draft });

/** After a template is edited, Meta reviews it again. */
export const editTemplate = (
  accountId: string,
  channelId: string,
  { id, version }: Pick<Template, 'id' | 'version'>,
  draft: TemplateDraft,
) =>
  call('PUT /accounts/:accountId/channels/:channelId/templates/:templateId', {
    params: { accountId, channelId, templateId: id },
    version,
    body: draft,
  });

export const deleteTemplate = (accountId: string, channelId: string, id: string) =>
  call('DELETE /accounts/:accountId/channels/:channelId/templates/:templateId', {
    params: { accountId, channelId, templateId: id },
  });

export const syncTemplates = (accountId: string, channelId: string) =>
  call('POST /accounts/:accountId/channels/:channelId/templates/sync', { params: { accountId, channelId } });

/** @param data file in Base64 */
export const uploadExample = (accountId: string, channelId: string, data: string) =>
  call('POST /accounts/:accountId/channels/:channelId/templates/examples', {
    params: { accountId, channelId },
    body: { data },
  });
