import { type Static, Type } from '@sinclair/typebox';
import {
  createAudience,
  deleteAudience,
  listAudiences,
  MAX_AUDIENCES,
  readAudience,
  updateAudience,
} from '../../../features/audiences/audiences.js';
import { previewCondition } from '../../../features/audiences/preview.js';
import { loadContactRecords } from '../../../features/contacts/record.js';
import type { Clock } from '../../../platform/clock.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { OnePath, pathId, requireFound } from '../../http/ids.js';
import type { UseCaseOptions } from '../../http/use-case-options.js';
import { channelScope } from '../../resources/callers/channel-caller.js';
import {
  AudienceData,
  CreateAudienceBody,
  PreviewBody,
  PreviewCounts,
  toAudienceRecord,
  UpdateAudienceBody,
} from '../../resources/people/audiences.js';
import { contactSchema } from '../../resources/people/contacts.js';
import { DoneData, done, ok } from '../answers.js';
import { AUDIENCES, type Endpoints } from '../endpoint.js';
import { answerList, list } from '../lists.js';

const ContactData = contactSchema('The contact has opted out and gets no messages from this channel.');

const PreviewData = Type.Object({
  ...PreviewCounts,
  contacts: Type.Array(ContactData, { description: 'At most ten of these contacts.' }),
});

export type AudienceOptions = UseCaseOptions<typeof previewCondition | typeof createAudience> & { clock: Clock };

export const audienceEndpoints: Endpoints<AudienceOptions> = async (app, options) => {
  const { clock } = options;
  const readId = ({ id }: { id: string }) => pathId(id, 'audience');

  app.get(
    '/audiences',
    AUDIENCES.read({
      operationId: 'listAudiences',
      summary: 'List the audiences of the channel, newest first',
      ...list('audiences', AudienceData),
    }),
    ({ query, caller }) =>
      answerList(query, 'audiences', (page) => listAudiences(options, channelScope(caller), page), toAudienceRecord),
  );

  app.post(
    '/audiences',
    AUDIENCES.write({
      operationId: 'createAudience',
      summary: 'Save a condition that selects contacts',
      description:
        `Contacts are not stored with the audience: it always consists of the contacts who meet the condition. A channel can have at most ${MAX_AUDIENCES} audiences; one more gets 409. ` +
        'Errors name each invalid part of the condition, for example `condition.all[2].value`.',
      body: CreateAudienceBody,
      data: AudienceData,
      errors: [409],
    }),
    async ({ body: { name, condition }, caller }) =>
      ok(toAudienceRecord(await createAudience(options, channelScope(caller), { name, condition }, clock.now()))),
  );

  app.post(
    '/audiences/preview',
    AUDIENCES.read({
      operationId: 'previewAudience',
      summary: 'Count the contacts who meet a condition, and show ten of them',
      description: 'Saves nothing.',
      body: PreviewBody,
      data: PreviewData,
      errors: [409],
    }),
    async ({ body: { condition }, caller }) => {
      const { count, isEstimate, examples } = await previewCondition(
        options,
        channelScope(caller),
        condition,
        clock.now(),
      );
      const contacts = await loadContactRecords(options.pool, caller.channel.id, examples);
      return ok({
        count,
        countIsEstimate: isEstimate,
        contacts: contacts as Static<typeof ContactData>[],
      });
    },
  );

  app.get(
    '/audiences/:id',
    AUDIENCES.read({
      operationId: 'getAudience',
      summary: 'Get an audience',
      params: OnePath,
      data: AudienceData,
    }),
    async ({ params, caller }) =>
      ok(toAudienceRecord(requireFound(await readAudience(options, channelScope(caller), readId(params)), 'audience'))),
  );

  app.patch(
    '/audiences/:id',
    AUDIENCES.write({
      operationId: 'updateAudience',
      summary: 'Change the name or the condition of an audience',
      description: 'Campaigns that have started keep their recipients.',
      params: OnePath,
      body: UpdateAudienceBody,
      data: AudienceData,
      errors: [409],
    }),
    async ({ params, body: { name, condition }, caller }) => {
      const change = { name, condition, at: clock.now() };
      const changed = await updateAudience(options, channelScope(caller), readId(params), change);
      return ok(toAudienceRecord(requireFound(changed, 'audience').after));
    },
  );

  app.delete(
    '/audiences/:id',
    AUDIENCES.write({
      operationId: 'deleteAudience',
      summary: 'Delete an audience, but not its contacts',
      params: OnePath,
      data: DoneData,
    }),
    async ({ params, caller }) => {
      if (!(await deleteAudience(options, channelScope(caller), readId(params)))) throw notFound('audience');
      return done('The audience was deleted.');
    },
  );
};
