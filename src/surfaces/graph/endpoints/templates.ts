import { Type } from '@sinclair/typebox';
import { digitsOf } from '../../../features/channels/graph-ids.js';
import { deleteTemplate } from '../../../features/templates/change.js';
import { createTemplate } from '../../../features/templates/create.js';
import { listTemplates, type Template } from '../../../features/templates/list.js';
import { AppError, invalidField } from '../../../platform/errors/app-error.js';
import type { OptionsOf } from '../../http/options-of.js';
import { RULE } from '../../http/validation.js';
import { scopeOf } from '../../resources/channel-caller.js';
import { ownedChannel } from '../../resources/owned-channel.js';
import { DraftBody, TemplateRecord } from '../../resources/template-drafts.js';
import { AccountPath, type Endpoints, graphEndpoint } from '../endpoint.js';
import { chosenFields, Fields, PageQuery, Paging, pageOf } from '../lists.js';
import { Success } from './message-schemas.js';

export type TemplateOptions = OptionsOf<typeof listTemplates | typeof createTemplate | typeof deleteTemplate>;

const TemplateId = Type.String({ description: 'Digits, as Meta has them.', examples: ['301482913750264'] });

const GraphTemplate = Type.Partial(
  Type.Object({
    id: TemplateId,
    ...Type.Pick(TemplateRecord, ['name', 'status', 'language', 'category', 'components']).properties,
  }),
);

const text = (description: string) => Type.Optional(Type.String({ maxLength: 512, description }));

const FILTERS = {
  name: text('Only those whose name has this in it.'),
  status: text('Only those with this status, in any case.'),
  language: text('Only those in this language.'),
  category: text('Only those of this category, in any case.'),
};

const read = graphEndpoint('templates:read');
const write = graphEndpoint('templates:write');

export const templateEndpoints: Endpoints<TemplateOptions> = async (app, options) => {
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
      const templates = await listTemplates(options, scopeOf(caller), query.status);
      const wanted = templates.filter((template) => isWanted(template, query)).map(written);
      const { entries, paging } = pageOf(request, query, wanted);
      return { data: entries.map((entry) => chosenFields(entry, query.fields)), ...(paging && { paging }) };
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
      const { id, status, category } = written(await createTemplate(options, ownedChannel(caller), body));
      return { id, status, category };
    },
  );

  app.delete(
    '/:businessAccountId/message_templates',
    write({
      operationId: 'graphDeleteTemplates',
      object: 'account',
      summary: 'Delete a template of a business account in every language',
      description: 'With `hsm_id`, in the one language that this names.',
      params: AccountPath,
      querystring: Type.Object({
        name: Type.Optional(Type.String({ maxLength: 512, [RULE]: 'must be a text of at most 512 characters' })),
        hsm_id: Type.Optional(TemplateId),
      }),
      data: Success,
    }),
    async ({ query, caller }) => {
      const { name, hsm_id: id } = query;
      if (name === undefined || name === '') throw invalidField('name', 'is required');
      const templates = (await listTemplates(options, scopeOf(caller))).filter(
        (each) => each.name === name && (id === undefined || templateId(each) === id),
      );
      if (templates.length === 0) throw new AppError('NOT_FOUND', 'There is no template of this name.');
      for (const template of templates) await deleteTemplate(options, ownedChannel(caller), template.id);
      return { success: true as const };
    },
  );
};

function isWanted(
  template: Template,
  { name, language, category }: { name?: string; language?: string; category?: string },
): boolean {
  return (
    (!name || template.name.includes(name)) &&
    (!language || template.language === language) &&
    (!category || template.category === category.toUpperCase())
  );
}

function written(template: Template) {
  const { name, status, language, category, components } = template;
  return {
    id: templateId(template),
    name,
    status,
    language,
    category,
    components: components as Record<string, unknown>[],
  };
}

const templateId = ({ id }: Template) => digitsOf('template', id);
