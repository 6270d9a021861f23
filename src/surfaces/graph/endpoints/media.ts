import { Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import type { ChannelCaller } from '../../../accounts/channel-authenticator.js';
import { deleteMedia } from '../../../features/media/delete.js';
import { findMedia } from '../../../features/media/media-store.js';
import { openMedia } from '../../../features/media/open-media.js';
import { uploadMedia } from '../../../features/media/upload.js';
import { invalidField } from '../../../platform/errors/app-error.js';
import { isUuid } from '../../../platform/ids.js';
import { answerFile } from '../../http/files/file-answer.js';
import { type FormFile, receiveFile, takesFiles } from '../../http/files/file-form.js';
import { idempotencyKeyOf, noteReplay } from '../../http/idempotency-key.js';
import type { OptionsOf } from '../../http/options-of.js';
import { scopeOf } from '../../resources/callers/channel-caller.js';
import { ownedChannel } from '../../resources/callers/owned-channel.js';
import { type Endpoints, FILE, graphEndpoint, NumberPath, ObjectPath } from '../endpoint.js';
import { actFor, callersOf, noObject } from '../objects.js';
import { Success } from './message-schemas.js';

export type MediaOptions = OptionsOf<typeof uploadMedia | typeof findMedia | typeof openMedia | typeof deleteMedia>;

const read = graphEndpoint('media:read');
const write = graphEndpoint('media:write');

/** The channel that has a file, of those that the key of a request is bound to. */
export async function ownerOfMedia(
  options: Parameters<typeof findMedia>[0],
  request: FastifyRequest,
  id: string,
): Promise<ChannelCaller | null> {
  if (!isUuid(id)) return null;
  for (const caller of callersOf(request)) if (await findMedia(options, scopeOf(caller), id)) return caller;
  return null;
}

/** The bytes of a file, which is refused at their end if the form was not meant for WhatsApp. */
async function* forWhatsapp({ bytes, fields }: FormFile): AsyncGenerator<Uint8Array> {
  yield* bytes;
  const { messaging_product: product } = fields;
  if (product === undefined) throw invalidField('messaging_product', 'is required');
  if (product !== 'whatsapp') throw invalidField('messaging_product', 'must be whatsapp');
}

export const mediaEndpoints: Endpoints<MediaOptions> = async (app, options) => {
  takesFiles(app);

  app.post(
    '/:phoneNumberId/media',
    write({
      operationId: 'graphUploadMedia',
      object: 'number',
      idempotent: true,
      takesFile: 'file',
      summary: 'Upload a file, as to Meta',
      description:
        'A form (`multipart/form-data`) with the part `file`, as `POST /api/v1/media`, and the fields `messaging_product` and, where the part does not say it, `type`; they may stand before the file or behind it.',
      params: NumberPath,
      data: Type.Object({ id: Type.String({ description: 'Names the file in messages: `image: {id}`.' }) }),
      errors: [413, 415, 422],
    }),
    async (request, reply) => {
      const idempotencyKey = idempotencyKeyOf(request);
      const { media, repeated } = await receiveFile(request, 'file', (file) =>
        uploadMedia(options, scopeOf(request.caller), {
          filename: file.filename,
          mimeType: file.mimeType,
          bytes: forWhatsapp(file),
          // In shells with quotes of their own, such as those of Meta's examples, the quotes arrive too.
          mimeTypeAfter: () => file.fields.type?.replace(/^"(.*)"$/, '$1') ?? null,
          idempotencyKey,
        }),
      );
      if (repeated) noteReplay(reply);
      return { id: media.id };
    },
  );

  app.get(
    '/:id/file',
    read({
      operationId: 'graphDownloadMedia',
      summary: 'Download a file by the address that its id has',
      description: 'The address that `url` of a file tells, with the same token.',
      params: ObjectPath,
      data: FILE,
      errors: [410, 413],
    }),
    async (request, reply) => {
      const { id } = request.params;
      const owner = await ownerOfMedia(options, request, id);
      if (!owner) throw noObject(id);
      const opened = await openMedia(options, ownedChannel(actFor(request, owner, 'media:read')), id.toLowerCase());
      if (!opened) throw noObject(id);
      return answerFile(request, reply, { ...opened.media, open: opened.open });
    },
  );

  app.delete(
    '/:id',
    write({
      operationId: 'graphDeleteMedia',
      summary: 'Delete a file, as at Meta',
      params: ObjectPath,
      data: Success,
    }),
    async (request) => {
      const { id } = request.params;
      const owner = await ownerOfMedia(options, request, id);
      if (!owner) throw noObject(id);
      const caller = actFor(request, owner, 'media:write');
      if (!(await deleteMedia(options, scopeOf(caller), id.toLowerCase()))) throw noObject(id);
      return { success: true as const };
    },
  );
};
