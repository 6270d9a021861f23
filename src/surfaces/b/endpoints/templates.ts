import { Type } from '@sinclair/typebox';
import { createTemplate } from '../../../features/templates/create.js';
import { deleteTemplate, editTemplate } from '../../../features/templates/edit-and-delete.js';
import { uploadExample } from '../../../features/templates/examples.js';
import { listTemplates, type Template } from '../../../features/templates/list.js';
import { syncTemplates } from '../../../features/templates/sync.js';
import { OnePath, pathId } from '../../http/ids.js';
import type { UseCaseOptions } from '../../http/use-case-options.js';
import { channelScope } from '../../resources/callers/channel-caller.js';
import { toOwnedChannel } from '../../resources/callers/owned-channel.js';
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

export type TemplateOptions = UseCaseOptions<
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
      description: 'All templates, newest first.',
      querystring: Type.Object({
        status: Type.Optional(
          Type.String({
            description: 'Only templates with this status, in upper or lower case; an unknown status matches nothing.',
            examples: ['APPROVED'],
          }),
        ),
      }),
      data: Type.Array(TemplateRecord),
    }),
    async ({ query, caller }) => ok((await listTemplates(options, channelScope(caller), query.status)).map(toRecord)),
  );

  app.post(
    '/templates',
    TEMPLATES.write({
      operationId: 'createTemplate',
      summary: 'Create a template and submit it for approval',
      description:
        "The template is PENDING until the carrier has decided; a sync fetches the decision. Meta's Cloud API rules apply.",
      body: DraftBody,
      data: TemplateRecord,
      errors: [409],
    }),
    async ({ body, caller }) => ok(toRecord(await createTemplate(options, toOwnedChannel(caller), body))),
  );

  app.post(
    '/templates/examples',
    {
      ...TEMPLATES.write({
        operationId: 'uploadTemplateExample',
        summary: 'Upload the example file of a template header',
        description:
          'The reviewers of the template see the file as an example of the image, video or document in the header. It is not part of any message.',
        body: ExampleBody,
        data: ExampleData,
      }),
      bodyLimit: EXAMPLE_BODY_LIMIT,
    },
    async ({ body, caller }) => ok(await uploadExample(options, toOwnedChannel(caller), body)),
  );

  app.put(
    '/templates/:id',
    TEMPLATES.write({
      operationId: 'editTemplate',
      summary: 'Change the components of a template and submit it for approval again',
      description:
        'The template is PENDING and cannot be sent until the carrier has decided. APPROVED, REJECTED and PAUSED templates can be changed. The name and the language cannot change, nor can the category of an APPROVED template.',
      params: OnePath,
      body: ChangeBody,
      data: TemplateRecord,
      errors: [409],
    }),
    async ({ params, body, caller }) =>
      ok(toRecord(await editTemplate(options, toOwnedChannel(caller), pathId(params.id, 'template'), body))),
  );

  app.delete(
    '/templates/:id',
    TEMPLATES.write({
      operationId: 'deleteTemplate',
      summary: 'Delete a template, here and at the carrier',
      description: 'Deletes only this language of the template.',
      params: OnePath,
      data: DoneData,
    }),
    async ({ params, caller }) => {
      await deleteTemplate(options, toOwnedChannel(caller), pathId(params.id, 'template'));
      return done('The template was deleted.');
    },
  );

  app.post(
    '/templates/sync',
    TEMPLATES.write({
      operationId: 'syncTemplates',
      summary: 'Fetch templates and approval decisions from the carrier',
      description: 'Templates that the carrier no longer has become DISABLED.',
      data: SyncData,
    }),
    async ({ caller }) => {
      const counts = await syncTemplates(options, toOwnedChannel(caller));
      return ok({ ...counts, templates: (await listTemplates(options, channelScope(caller))).map(toRecord) });
    },
  );
};

function toRecord({ id, name, status, language, category, quality, components }: Template) {
  return { id, name, status, language, category, quality, components: components as Record<string, unknown>[] };
}
