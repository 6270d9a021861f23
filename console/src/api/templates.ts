import type { Static } from '@sinclair/typebox';
import { queryOptions } from '@tanstack/react-query';
import type { DraftInput } from '../../../src/features/templates/draft-input.js';
import type {
  SyncedData,
  TemplateEntry,
  TemplatesData,
} from '../../../src/surfaces/admin/endpoints/template-schemas.js';
import { get, send, sendVersioned } from './request.js';

export type Template = Static<typeof TemplateEntry>;
export type TemplateDraft = DraftInput;

const pathOf = (accountId: string, channelId: string) => `/accounts/${accountId}/channels/${channelId}/templates`;

/** The templates of a channel, the newest first, and when they were synced. */
export const templatesQuery = (accountId: string, channelId: string) =>
  queryOptions({
    queryKey: ['templates', accountId, channelId],
    queryFn: ({ signal }) => get<Static<typeof TemplatesData>>(pathOf(accountId, channelId), undefined, signal),
  });

/** Hands a draft in for approval. */
export const createTemplate = (accountId: string, channelId: string, draft: TemplateDraft) =>
  send<Template>('POST', pathOf(accountId, channelId), draft);

/** Gives a template other components, and hands it in for review again. */
export const editTemplate = (
  accountId: string,
  channelId: string,
  { id, version }: Pick<Template, 'id' | 'version'>,
  draft: TemplateDraft,
) => sendVersioned<Template>('PUT', `${pathOf(accountId, channelId)}/${id}`, version, draft);

export const deleteTemplate = (accountId: string, channelId: string, id: string) =>
  send<object>('DELETE', `${pathOf(accountId, channelId)}/${id}`);

/** Takes over what the carrier has, its decisions among it. */
export const syncTemplates = (accountId: string, channelId: string) =>
  send<Static<typeof SyncedData>>('POST', `${pathOf(accountId, channelId)}/sync`);
