import type { FastifyRequest } from 'fastify';
import type { ToldChange } from '../../../accounts/audit/change.js';
import { createTemplate } from '../../../features/templates/create.js';
import { deleteTemplate, editTemplate } from '../../../features/templates/edit-and-delete.js';
import { uploadExample } from '../../../features/templates/examples.js';
import { findTemplatesSyncedAt, listTemplates, type Template } from '../../../features/templates/list.js';
import { type SyncCounts, syncTemplates } from '../../../features/templates/sync.js';
import type { TemplateState } from '../../../features/templates/template-store.js';
import { pathId } from '../../http/ids.js';
import type { OptionsOf } from '../../http/options-of.js';
import { iso } from '../../http/schemas/values.js';
import { done, ok } from '../answers.js';
import { TEMPLATES } from '../contract/templates.js';
import { type Endpoints, routesOf } from '../endpoint.js';
import { channelOf, ownedChannelOf, scopeOf } from '../session-auth.js';
import { requireVersion, versionOf } from '../versions.js';

export type TemplatesOptions = OptionsOf<
  | typeof listTemplates
  | typeof findTemplatesSyncedAt
  | typeof createTemplate
  | typeof uploadExample
  | typeof editTemplate
  | typeof deleteTemplate
  | typeof syncTemplates
>;

/** The templates of a channel. */
export const templateEndpoints: Endpoints<TemplatesOptions> = async (app, options) => {
  const route = routesOf(app, TEMPLATES);
  /** The use cases' options, with what they write and its line of the audit log as one change. */
  const telling = <Result>(request: FastifyRequest, tell: (result: Result) => ToldChange): TemplatesOptions => ({
    ...options,
    commit: (write) =>
      request.change(async ({ client, prisma }) => {
        const result = await write({ pool: client, prisma });
        return { result, told: tell(result as unknown as Result) };
      }),
  });

  route('GET /accounts/:accountId/channels/:channelId/templates', async (request) => {
    const scope = scopeOf(request);
    const [templates, syncedAt] = await Promise.all([
      listTemplates(options, scope),
      findTemplatesSyncedAt(options, scope),
    ]);
    return ok({ templates: templates.map(templateEntry), syncedAt: iso(syncedAt) });
  });

  route('POST /accounts/:accountId/channels/:channelId/templates', async (request) => {
    const told = (made: Template) => ({ action: 'template.create', subject: made.id, after: auditOf(made) });
    return ok(templateEntry(await createTemplate(telling(request, told), ownedChannelOf(request), request.body)));
  });

  route('POST /accounts/:accountId/channels/:channelId/templates/examples', async (request) => {
    const { channelId } = request.params;
    const uploaded = await uploadExample(options, ownedChannelOf(request), request.body);
    return request.change(async () => {
      const { type, size } = uploaded;
      const told = { action: 'template.example', subject: channelId, after: { type, size } };
      return { result: ok(uploaded), told };
    });
  });

  route('PUT /accounts/:accountId/channels/:channelId/templates/:templateId', async (request) => {
    const id = pathId(request.params.templateId, 'template');
    const expect = (now: TemplateState) => requireVersion(request, templateVersion(now));
    const told = (edited: Template) => ({ action: 'template.edit', subject: id, after: auditOf(edited) });
    return ok(
      templateEntry(await editTemplate(telling(request, told), ownedChannelOf(request), id, request.body, expect)),
    );
  });

  route('DELETE /accounts/:accountId/channels/:channelId/templates/:templateId', async (request) => {
    const id = pathId(request.params.templateId, 'template');
    await deleteTemplate(
      telling(request, () => ({ action: 'template.delete', subject: id })),
      ownedChannelOf(request),
      id,
    );
    return done();
  });

  route('POST /accounts/:accountId/channels/:channelId/templates/sync', async (request) => {
    const { id } = channelOf(request);
    const told = ({ added, updated, disabled }: SyncCounts) => {
      return { action: 'template.sync', subject: id, after: { added, updated, disabled } };
    };
    const { added, updated, disabled } = await syncTemplates(telling(request, told), ownedChannelOf(request));
    return ok({ added, updated, disabled });
  });
};

function auditOf({ name, language, category }: Template) {
  return { name, language, category };
}

function templateEntry({ id, name, status, language, category, quality, components, createdAt, updatedAt }: Template) {
  return {
    id,
    name,
    status,
    language,
    category,
    quality,
    components: components as Record<string, unknown>[],
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    version: templateVersion({ components, status, updatedAt }),
  };
}

function templateVersion({ components, status, updatedAt }: TemplateState): string {
  return versionOf({ components, status, updatedAt });
}
