import type { Static } from '@sinclair/typebox';
import { queryOptions } from '@tanstack/react-query';
import type { TemplateEntry } from '../../../src/surfaces/admin/contract/templates-schemas.js';
import { type Body, call } from './asking/call.js';

export type Template = Static<typeof TemplateEntry>;
export type TemplateDraft = Body<'POST /accounts/:accountId/channels/:channelId/templates'>;

/** A channel's templates, newest first, and the time of the last sync. */
export const templatesQuery = (accountId: string, channelId: string) =>
  queryOptions({
    queryKey: ['templates', accountId, channelId],
    queryFn: ({ signal }) =>
      call('GET /accounts/:accountId/channels/:channelId/templates', { params: { accountId, channelId }, signal }),
  });

/** Submits a draft for approval. */
export const createTemplate = (accountId: string, channelId: string, draft: TemplateDraft) =>
  call('POST /accounts/:accountId/channels/:channelId/templates', { params: { accountId, channelId }, body: draft });

/** Replaces a template's components and submits it for review again. */
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

/** Fetches the carrier's current templates and approval decisions. */
export const syncTemplates = (accountId: string, channelId: string) =>
  call('POST /accounts/:accountId/channels/:channelId/templates/sync', { params: { accountId, channelId } });

/**
 * Uploads an example file for a template header and returns its handle.
 * @param data base64
 */
export const uploadExample = (accountId: string, channelId: string, data: string) =>
  call('POST /accounts/:accountId/channels/:channelId/templates/examples', {
    params: { accountId, channelId },
    body: { data },
  });
