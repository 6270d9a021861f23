import { Type } from '@sinclair/typebox';
import { createTemplate } from '../../../features/templates/create.js';
import { deleteTemplate, editTemplate } from '../../../features/templates/edit-and-delete.js';
import { listTemplates, type Template } from '../../../features/templates/list.js';
import { AppError, invalidField } from '../../../platform/errors/app-error.js';
import type { OptionsOf } from '../../http/options-of.js';
import { RULE } from '../../http/validation.js';
import { scopeOf } from '../../resources/callers/channel-caller.js';
import { ownedChannel } from '../../resources/callers/owned-channel.js';
import { ChangeBody, DraftBody, TemplateRecord } from '../../resources/records/template-drafts.js';
import { AccountPath, type Endpoints, graphEndpoint, ObjectPath } from '../endpoint.js';
import { ofNoMessage } from '../errors.js';
import { Fields, PageQuery, Paging, pageAnswer } from '../lists.js';
import { actFor, noObject } from '../objects.js';
import { Success } from './message-schemas.js';
import { findTemplate, GraphTemplate, TemplateId, templateFields, templateId } from './template-fields.js';

export type TemplateOptions = OptionsOf<
  typeof listTemplates | typeof createTemplate | typeof deleteTemplate | typeof editTemplate
>;

const text = (description: string) => Type.Optional(Type.String({ maxLength: 512, description }));

const FILTERS = {
  name: text('Only those whose name has this in it.'),
  name_or_content: text('Only those whose name or components have this in them.'),
  status: text('Only those with this status, in any case, or with one of a JSON array of them.'),
  language: text('Only those in this language, or in one of a JSON array of them.'),
  category: text('Only those of this category, in any case, or of one of a JSON array of them.'),
};

const EditBody = Type.Pick(ChangeBody, ['components', 'category']);

const read = graphEndpoint('templates:read');
const write = graphEndpoint('templates:write');

export const templateEndpoints: Endpoints<TemplateOptions> = async (app, options) => {
  app.setErrorHandler((error) => {
    throw ofNoMessage(error);
  });

  app.get(
    '/:businessAccountId/message_templates',
    read({
      operationId: 'graphListTemplates',
      object: 'account',
      summary: 'List the templates of a business account',
      description: 'The newest first. Fields that are not known are left out.',
      params: AccountPath,
      querystring: Type.Object({ ...FILTERS, ...PageQuery, fields: Fields }),
      data: Type.Object({ data: Type.Array(GraphTemplate), paging: Type.Optional(Paging) }),
    }),
    async (request) => {
      const { query, caller } = request;
      const templates = await listTemplates(options, scopeOf(caller));
      const wanted = templates.filter((template) => isWanted(template, query)).map(templateFields);
      return pageAnswer(request, query, wanted);
    },
  );

  app.post(
    '/:businessAccountId/message_templates',
    write({
      operationId: 'graphCreateTemplate',
      object: 'account',
      summary: 'Make a template of a business account',
      description: 'As `POST /api/v1/templates`, with the answer of Meta.',
      params: AccountPath,
      body: DraftBody,
      data: Type.Object({ id: TemplateId, status: TemplateRecord.properties.status, category: Type.String() }),
    }),
    async ({ body, caller }) => {
      const { id, status, category } = templateFields(await createTemplate(options, ownedChannel(caller), body));
      return { id, status, category };
    },
  );

  app.delete(
    '/:businessAccountId/message_templates',
    write({
      operationId: 'graphDeleteTemplates',
      object: 'account',
      summary: 'Delete a template of a business account in every language',
      description: 'With `hsm_id` or `language`, in the one language that this names.',
      params: AccountPath,
      querystring: Type.Object({
        name: Type.Optional(Type.String({ maxLength: 512, [RULE]: 'must be a text of at most 512 characters' })),
        hsm_id: Type.Optional(TemplateId),
        language: text('Its language code.'),
      }),
      data: Success,
    }),
    async ({ query, caller }) => {
      const { name, hsm_id: id, language } = query;
      if (name === undefined || name === '') throw invalidField('name', 'is required');
      const templates = (await listTemplates(options, scopeOf(caller))).filter(
        (each) =>
          each.name === name &&
          (id === undefined || templateId(each) === id) &&
          (language === undefined || each.language === language),
      );
      if (templates.length === 0) throw new AppError('NOT_FOUND', 'There is no template of this name.');
      for (const template of templates) await deleteTemplate(options, ownedChannel(caller), template.id);
      return { success: true as const };
    },
  );

  app.post(
    '/:id',
    write({
      operationId: 'graphEditTemplate',
      summary: 'Change a template',
      description: 'As `PUT /api/v1/templates/{id}`, with the answer of Meta.',
      params: ObjectPath,
      body: EditBody,
      data: Type.Object({ ...Success.properties, id: TemplateId, category: Type.String() }),
    }),
    async (request) => {
      const { id } = request.params;
      const found = await findTemplate(options, request, id);
      if (!found) throw noObject(id);
      const channel = ownedChannel(actFor(request, found.caller, 'templates:write'));
      const { components, category } = request.body;
      const { category: now } = await editTemplate(options, channel, found.template.id, { components, category });
      return { success: true as const, id, category: now };
    },
  );
};

type Filters = Partial<Record<keyof typeof FILTERS, string>>;

function isWanted(template: Template, { name, name_or_content: part, ...words }: Filters): boolean {
  const { status, language, category } = words;
  return (
    (!name || template.name.includes(name)) &&
    (!part || template.name.includes(part) || JSON.stringify(template.components).includes(part)) &&
    isAmong(language, template.language) &&
    isAmong(status?.toUpperCase(), template.status) &&
    isAmong(category?.toUpperCase(), template.category)
  );
}

/** One word, or several as a JSON array, as Meta takes them. */
function isAmong(given: string | undefined, word: string): boolean {
  if (!given) return true;
  if (!given.startsWith('[')) return given === word;
  try {
    return (JSON.parse(given) as unknown[]).includes(word);
  } catch {
    return false;
  }
}
