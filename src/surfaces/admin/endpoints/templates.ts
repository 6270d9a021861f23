import type { FastifyRequest } from 'fastify';
import type { ToldChange } from '../../../accounts/audit/change.js';
import type { ChannelSettings } from '../../../carriers/channel-settings.js';
import { deleteTemplate, editTemplate } from '../../../features/templates/change.js';
import { createTemplate, type OwnedChannel } from '../../../features/templates/create.js';
import { listTemplates, type Template, templatesSyncedAt } from '../../../features/templates/list.js';
import { type SyncCounts, syncTemplates } from '../../../features/templates/sync.js';
import type { TemplateState } from '../../../features/templates/template-store.js';
import { pathId } from '../../http/ids.js';
import type { OptionsOf } from '../../http/options-of.js';
import { iso } from '../../http/schemas/values.js';
import { ChangeBody, DraftBody } from '../../resources/template-drafts.js';
import { DoneData, done, ok } from '../answers.js';
import { type Endpoints, endpoint } from '../endpoint.js';
import { ChannelPath } from '../paths.js';
import { accountOf, channelOf, scopeOf } from '../session-auth.js';
import { requireVersion, versionOf } from '../versions.js';
import { SyncedData, TemplateEntry, TemplatePath, TemplatesData } from './template-schemas.js';

export type TemplatesOptions = OptionsOf<
  | typeof listTemplates
  | typeof templatesSyncedAt
  | typeof createTemplate
  | typeof editTemplate
  | typeof deleteTemplate
  | typeof syncTemplates
>;

const PATH = '/accounts/:accountId/channels/:channelId/templates';

/** The templates of a channel. */
export const templateEndpoints: Endpoints<TemplatesOptions> = async (app, options) => {
  /** The use cases' options, with what they write and its line of the audit log as one change. */
  const telling = <Result>(request: FastifyRequest, tell: (result: Result) => ToldChange): TemplatesOptions => ({
    ...options,
    commit: (write) =>
      request.change(async ({ client, prisma }) => {
        const result = await write({ pool: client, prisma });
        return { result, told: tell(result as unknown as Result) };
      }),
  });

  app.get(
    PATH,
    endpoint({
      needs: 'viewer',
      of: 'account',
      operationId: 'consoleListTemplates',
      summary: 'List the templates of a channel, and when they were synced',
      params: ChannelPath,
      data: TemplatesData,
    }),
    async (request) => {
      const scope = scopeOf(request);
      const [templates, syncedAt] = await Promise.all([
        listTemplates(options, scope),
        templatesSyncedAt(options, scope),
      ]);
      return ok({ templates: templates.map(templateEntry), syncedAt: iso(syncedAt) });
    },
  );

  app.post(
    PATH,
    endpoint({
      needs: 'developer',
      of: 'account',
      operationId: 'consoleCreateTemplate',
      summary: 'Make a template and hand it in for approval',
      description: 'It is PENDING until the carrier has decided; a sync fetches the decision.',
      params: ChannelPath,
      body: DraftBody,
      data: TemplateEntry,
      errors: [409],
    }),
    async (request) => {
      const told = (made: Template) => ({ action: 'template.create', subject: made.id, after: auditOf(made) });
      return ok(templateEntry(await createTemplate(telling(request, told), owned(request), request.body)));
    },
  );

  app.put(
    `${PATH}/:templateId`,
    endpoint({
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
    }),
    async (request) => {
      const id = pathId(request.params.templateId, 'template');
      const expect = (now: TemplateState) => requireVersion(request, templateVersion(now));
      const told = (edited: Template) => ({ action: 'template.edit', subject: id, after: auditOf(edited) });
      return ok(templateEntry(await editTemplate(telling(request, told), owned(request), id, request.body, expect)));
    },
  );

  app.delete(
    `${PATH}/:templateId`,
    endpoint({
      needs: 'developer',
      of: 'account',
      operationId: 'consoleDeleteTemplate',
      summary: 'Delete a template, at the carrier too',
      description: 'This language of it alone.',
      params: TemplatePath,
      data: DoneData,
    }),
    async (request) => {
      const id = pathId(request.params.templateId, 'template');
      await deleteTemplate(
        telling(request, () => ({ action: 'template.delete', subject: id })),
        owned(request),
        id,
      );
      return done();
    },
  );

  app.post(
    `${PATH}/sync`,
    endpoint({
      needs: 'developer',
      of: 'account',
      operationId: 'consoleSyncTemplates',
      summary: "Take over the carrier's templates and decisions",
      description: 'Templates that the carrier no longer has become DISABLED.',
      params: ChannelPath,
      data: SyncedData,
    }),
    async (request) => {
      const { id } = channelOf(request);
      const told = ({ added, updated, disabled }: SyncCounts) => {
        return { action: 'template.sync', subject: id, after: { added, updated, disabled } };
      };
      const { added, updated, disabled } = await syncTemplates(telling(request, told), owned(request));
      return ok({ added, updated, disabled });
    },
  );
};

function owned(request: FastifyRequest): OwnedChannel {
  const { id, kind, phoneNumber, carrier, carrierSettings } = channelOf(request);
  const settings = carrierSettings as ChannelSettings | null;
  return { id, kind, phoneNumber, carrier, carrierSettings: settings, accountId: accountOf(request).id };
}

function auditOf({ name, language, category }: Template) {
  return { name, language, category };
}

function templateEntry({ id, name, status, language, category, components, createdAt, updatedAt }: Template) {
  return {
    id,
    name,
    status,
    language,
    category,
    components: components as Record<string, unknown>[],
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    version: templateVersion({ components, status, updatedAt }),
  };
}

function templateVersion({ components, status, updatedAt }: TemplateState): string {
  return versionOf({ components, status, updatedAt });
}
