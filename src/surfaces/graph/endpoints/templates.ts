import { Type } from '@sinclair/typebox';
import { createTemplate } from '../../../features/templates/create.js';
import { deleteTemplate, editTemplate } from '../../../features/templates/edit-and-delete.js';
import { listTemplates, type Template } from '../../../features/templates/list.js';
import { invalidField, notFound } from '../../../platform/errors/app-error.js';
import type { UseCaseOptions } from '../../http/use-case-options.js';
import { RULE } from '../../http/validation.js';
import { channelScope } from '../../resources/callers/channel-caller.js';
import { toOwnedChannel } from '../../resources/callers/owned-channel.js';
import { ChangeBody, DraftBody, TemplateRecord } from '../../resources/records/template-drafts.js';
import { AccountPath, type Endpoints, graphEndpoint, ObjectPath } from '../endpoint.js';
import { toMetaError } from '../errors.js';
import { Fields, PageQuery, Paging, pageAnswer } from '../lists.js';
import { actFor, objectNotFound } from '../objects.js';
import { Success } from './message-schemas.js';
import { findTemplate, GraphTemplate, TemplateId, templateFields, toTemplateId } from './template-fields.js';

export type TemplateOptions = UseCaseOptions<
  typeof listTemplates | typeof createTemplate | typeof deleteTemplate | typeof editTemplate
>;

const filterText = (description: string) => Type.Optional(Type.String({ maxLength: 512, description }));

const FILTERS = {
  name: filterText('Only templates whose name contains this text.'),
  name_or_content: filterText('Only templates whose name or components contain this text.'),
  status: filterText(
    'Only templates with this status, or with one of the statuses in a JSON array, in upper or lower case.',
  ),
  language: filterText('Only templates in this language, or in one of the languages in a JSON array.'),
  category: filterText(
    'Only templates in this category, or in one of the categories in a JSON array, in upper or lower case.',
  ),
};

const EditBody = Type.Pick(ChangeBody, ['components', 'category']);

const readEndpoint = graphEndpoint('templates:read');
const writeEndpoint = graphEndpoint('templates:write');

export const templateEndpoints: Endpoints<TemplateOptions> = async (app, options) => {
  app.setErrorHandler((error) => {
    throw toMetaError(error);
  });

  app.get(
    '/:businessAccountId/message_templates',
    readEndpoint({
      operationId: 'graphListTemplates',
      object: 'account',
      summary: 'List the templates of a business account',
      description: 'Newest first. Other fields of Meta’s templates are absent.',
      params: AccountPath,
      querystring: Type.Object({ ...FILTERS, ...PageQuery, fields: Fields }),
      data: Type.Object({ data: Type.Array(GraphTemplate), paging: Type.Optional(Paging) }),
    }),
    async (request) => {
      const { query, caller } = request;
      const templates = await listTemplates(options, channelScope(caller));
      const matching = templates.filter((template) => matches(template, query)).map(templateFields);
      return pageAnswer(request, query, matching);
    },
  );

  app.post(
    '/:businessAccountId/message_templates',
    writeEndpoint({
      operationId: 'graphCreateTemplate',
      object: 'account',
      summary: 'Create a template of a business account',
      description: 'Like `POST /api/v1/templates`, with Meta’s response.',
      params: AccountPath,
      body: DraftBody,
      data: Type.Object({ id: TemplateId, status: TemplateRecord.properties.status, category: Type.String() }),
    }),
    async ({ body, caller }) => {
      const { id, status, category } = templateFields(await createTemplate(options, toOwnedChannel(caller), body));
      return { id, status, category };
    },
  );

  app.delete(
    '/:businessAccountId/message_templates',
    writeEndpoint({
      operationId: 'graphDeleteTemplates',
      object: 'account',
      summary: 'Delete a template of a business account in every language',
      description: 'With `hsm_id` or `language`, only in that language.',
      params: AccountPath,
      querystring: Type.Object({
        name: Type.Optional(Type.String({ maxLength: 512, [RULE]: 'must be a string of at most 512 characters' })),
        hsm_id: Type.Optional(TemplateId),
        language: filterText('The language code.'),
      }),
      data: Success,
    }),
    async ({ query, caller }) => {
      const { name, hsm_id: id, language } = query;
      if (name === undefined || name === '') throw invalidField('name', 'is required');
      const templates = (await listTemplates(options, channelScope(caller))).filter(
        (template) =>
          template.name === name &&
          (id === undefined || toTemplateId(template) === id) &&
          (language === undefined || template.language === language),
      );
      if (templates.length === 0) throw notFound('template', 'name');
      for (const template of templates) await deleteTemplate(options, toOwnedChannel(caller), template.id);
      return { success: true as const };
    },
  );

  app.post(
    '/:id',
    writeEndpoint({
      operationId: 'graphEditTemplate',
      summary: 'Change a template',
      description: 'Like `PUT /api/v1/templates/{id}`, with Meta’s response.',
      params: ObjectPath,
      body: EditBody,
      data: Type.Object({ ...Success.properties, id: TemplateId, category: Type.String() }),
    }),
    async (request) => {
      const { id } = request.params;
      const match = await findTemplate(options, request, id);
      if (!match) throw objectNotFound(id);
      const channel = toOwnedChannel(actFor(request, match.caller, 'templates:write'));
      const { components, category } = request.body;
      const { category: newCategory } = await editTemplate(options, channel, match.template.id, {
        components,
        category,
      });
      return { success: true as const, id, category: newCategory };
    },
  );
};

type Filters = Partial<Record<keyof typeof FILTERS, string>>;

function matches(template: Template, { name, name_or_content: part, ...values }: Filters): boolean {
  const { status, language, category } = values;
  return (
    (!name || template.name.includes(name)) &&
    (!part || template.name.includes(part) || JSON.stringify(template.components).includes(part)) &&
    matchesFilter(language, template.language) &&
    matchesFilter(status?.toUpperCase(), template.status) &&
    matchesFilter(category?.toUpperCase(), template.category)
  );
}

/** A filter is a single value or a JSON array of values, as in Meta's API. */
function matchesFilter(filter: string | undefined, value: string): boolean {
  if (!filter) return true;
  if (!filter.startsWith('[')) return filter === value;
  try {
    return (JSON.parse(filter) as unknown[]).includes(value);
  } catch {
    return false;
  }
}
