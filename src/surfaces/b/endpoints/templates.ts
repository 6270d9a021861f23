import { Type } from '@sinclair/typebox';
import { createTemplate } from '../../../features/templates/create.js';
import { deleteTemplate, editTemplate } from '../../../features/templates/edit-and-delete.js';
import { uploadExample } from '../../../features/templates/examples.js';
import { listTemplates, type Template } from '../../../features/templates/list.js';
import { syncTemplates } from '../../../features/templates/sync.js';
import { OnePath, pathId } from '../../http/ids.js';
import type { OptionsOf } from '../../http/options-of.js';
import { scopeOf } from '../../resources/callers/channel-caller.js';
import { ownedChannel } from '../../resources/callers/owned-channel.js';
import {
  ChangeBody,
  DraftBody,
  EXAMPLE_BODY_LIMIT,
  ExampleBody,
  ExampleData,
  TemplateRecord,
} from '../../resources/records/template-drafts.js';
import { DoneData, done, ok } from '../answers.js';
import { type Endpoints, TEMPLATES } from '../endpoint.js';

const SyncData = Type.Object({
  added: Type.Integer(),
  updated: Type.Integer(),
  disabled: Type.Integer({ description: 'Templates that the carrier no longer has.' }),
  templates: Type.Array(TemplateRecord),
});

export type TemplateOptions = OptionsOf<
  | typeof listTemplates
  | typeof uploadExample
  | typeof createTemplate
  | typeof editTemplate
  | typeof deleteTemplate
  | typeof syncTemplates
>;

export const templateEndpoints: Endpoints<TemplateOptions> = async (app, options) => {
  app.get(
    '/templates',
    TEMPLATES.read({
      operationId: 'listTemplates',
      summary: 'List the templates of the channel',
      description: 'All of them, the newest first.',
      querystring: Type.Object({
        status: Type.Optional(
          Type.String({
            description: 'Only those with this status, whatever its case; an unknown one gives an empty list.',
            examples: ['APPROVED'],
          }),
        ),
      }),
      data: Type.Array(TemplateRecord),
    }),
    async ({ query, caller }) => ok((await listTemplates(options, scopeOf(caller), query.status)).map(writeTemplate)),
  );

  app.post(
    '/templates',
    TEMPLATES.write({
      operationId: 'createTemplate',
      summary: 'Make a template and hand it in for approval',
      description:
        "It is PENDING until the carrier has decided; a sync fetches the decision. The rules are those of Meta's Cloud API.",
      body: DraftBody,
      data: TemplateRecord,
      errors: [409],
    }),
    async ({ body, caller }) => ok(writeTemplate(await createTemplate(options, ownedChannel(caller), body))),
  );

  app.post(
    '/templates/examples',
    {
      ...TEMPLATES.write({
        operationId: 'uploadTemplateExample',
        summary: 'Upload the example of a header that shows a file',
        description: 'For the reviewers of a template with a picture, a video or a document; it is in no message.',
        body: ExampleBody,
        data: ExampleData,
      }),
      bodyLimit: EXAMPLE_BODY_LIMIT,
    },
    async ({ body, caller }) => ok(await uploadExample(options, ownedChannel(caller), body)),
  );

  app.put(
    '/templates/:id',
    TEMPLATES.write({
      operationId: 'editTemplate',
      summary: 'Give a template other components and hand it in for review again',
      description:
        'Until the carrier has decided it is PENDING and cannot be sent. One that is APPROVED, REJECTED or PAUSED can be edited; name and language stay, and so does the category of an APPROVED one.',
      params: OnePath,
      body: ChangeBody,
      data: TemplateRecord,
      errors: [409],
    }),
    async ({ params, body, caller }) =>
      ok(writeTemplate(await editTemplate(options, ownedChannel(caller), pathId(params.id, 'template'), body))),
  );

  app.delete(
    '/templates/:id',
    TEMPLATES.write({
      operationId: 'deleteTemplate',
      summary: 'Delete a template, at the carrier too',
      description: 'This language of it alone.',
      params: OnePath,
      data: DoneData,
    }),
    async ({ params, caller }) => {
      await deleteTemplate(options, ownedChannel(caller), pathId(params.id, 'template'));
      return done('The template was deleted.');
    },
  );

  app.post(
    '/templates/sync',
    TEMPLATES.write({
      operationId: 'syncTemplates',
      summary: "Take over the carrier's templates and decisions",
      description: 'Templates that the carrier no longer has become DISABLED.',
      data: SyncData,
    }),
    async ({ caller }) => {
      const counts = await syncTemplates(options, ownedChannel(caller));
      return ok({ ...counts, templates: (await listTemplates(options, scopeOf(caller))).map(writeTemplate) });
    },
  );
};

function writeTemplate({ id, name, status, language, category, quality, components }: Template) {
  return { id, name, status, language, category, quality, components: components as Record<string, unknown>[] };
}
