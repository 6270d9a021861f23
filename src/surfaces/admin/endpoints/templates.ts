import type { FastifyRequest } from 'fastify';
import type { AuditEntryInput } from '../../../accounts/audit/change.js';
import { createTemplate } from '../../../features/templates/create.js';
import { deleteTemplate, editTemplate } from '../../../features/templates/edit-and-delete.js';
import { uploadExample } from '../../../features/templates/examples.js';
import { findTemplatesSyncedAt, listTemplates, type Template } from '../../../features/templates/list.js';
import { type SyncCounts, syncTemplates } from '../../../features/templates/sync.js';
import type { TemplateState } from '../../../features/templates/template-store.js';
import { pathId } from '../../http/ids.js';
import { iso } from '../../http/schemas/values.js';
import type { UseCaseOptions } from '../../http/use-case-options.js';
import { done, ok } from '../answers.js';
import { TEMPLATES } from '../contract/templates.js';
import { type Endpoints, registerRoutes } from '../endpoint.js';
import { requestChannel, requestOwnedChannel, requestScope } from '../session-auth.js';
import { requireVersion, toVersion } from '../versions.js';

export type TemplatesOptions = UseCaseOptions<
  | typeof listTemplates
  | typeof findTemplatesSyncedAt
  | typeof createTemplate
  | typeof uploadExample
  | typeof editTemplate
  | typeof deleteTemplate
  | typeof syncTemplates
>;

export const templateEndpoints: Endpoints<TemplatesOptions> = async (app, options) => {
  const route = registerRoutes(app, TEMPLATES);
  const withAudit = <Result>(
    request: FastifyRequest,
    describe: (result: Result) => AuditEntryInput,
  ): TemplatesOptions => ({
    ...options,
    commit: (write) =>
      request.change(async ({ client, prisma }) => {
        const result = await write({ pool: client, prisma });
        return { result, audit: describe(result as unknown as Result) };
      }),
  });

  route('GET /accounts/:accountId/channels/:channelId/templates', async (request) => {
    const scope = requestScope(request);
    const [templates, syncedAt] = await Promise.all([
      listTemplates(options, scope),
      findTemplatesSyncedAt(options, scope),
    ]);
    return ok({ templates: templates.map(toEntry), syncedAt: iso(syncedAt) });
  });

  route('POST /accounts/:accountId/channels/:channelId/templates', async (request) => {
    const toAuditEntry = (created: Template) => ({
      action: 'template.create',
      subject: created.id,
      after: auditedFields(created),
    });
    return ok(
      toEntry(await createTemplate(withAudit(request, toAuditEntry), requestOwnedChannel(request), request.body)),
    );
  });

  route('POST /accounts/:accountId/channels/:channelId/templates/examples', async (request) => {
    const { channelId } = request.params;
    const uploaded = await uploadExample(options, requestOwnedChannel(request), request.body);
    return request.change(async () => {
      const { type, size } = uploaded;
      const auditEntry = { action: 'template.example', subject: channelId, after: { type, size } };
      return { result: ok(uploaded), audit: auditEntry };
    });
  });

  route('PUT /accounts/:accountId/channels/:channelId/templates/:templateId', async (request) => {
    const id = pathId(request.params.templateId, 'template');
    const checkVersion = (current: TemplateState) => requireVersion(request, toTemplateVersion(current));
    const toAuditEntry = (edited: Template) => ({ action: 'template.edit', subject: id, after: auditedFields(edited) });
    return ok(
      toEntry(
        await editTemplate(
          withAudit(request, toAuditEntry),
          requestOwnedChannel(request),
          id,
          request.body,
          checkVersion,
        ),
      ),
    );
  });

  route('DELETE /accounts/:accountId/channels/:channelId/templates/:templateId', async (request) => {
    const id = pathId(request.params.templateId, 'template');
    await deleteTemplate(
      withAudit(request, () => ({ action: 'template.delete', subject: id })),
      requestOwnedChannel(request),
      id,
    );
    return done();
  });

  route('POST /accounts/:accountId/channels/:channelId/templates/sync', async (request) => {
    const { id } = requestChannel(request);
    const toAuditEntry = ({ added, updated, disabled }: SyncCounts) => {
      return { action: 'template.sync', subject: id, after: { added, updated, disabled } };
    };
    const { added, updated, disabled } = await syncTemplates(
      withAudit(request, toAuditEntry),
      requestOwnedChannel(request),
    );
    return ok({ added, updated, disabled });
  });
};

function auditedFields({ name, language, category }: Template) {
  return { name, language, category };
}

function toEntry({ id, name, status, language, category, quality, components, createdAt, updatedAt }: Template) {
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
    version: toTemplateVersion({ components, status, updatedAt }),
  };
}

function toTemplateVersion({ components, status, updatedAt }: TemplateState): string {
  return toVersion({ components, status, updatedAt });
}
