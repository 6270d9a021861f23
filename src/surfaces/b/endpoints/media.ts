import { Type } from '@sinclair/typebox';
import { requireWhatsapp } from '../../../features/channels/call-carrier.js';
import { deleteMedia } from '../../../features/media/delete.js';
import { listMedia, type MediaRow } from '../../../features/media/media-store.js';
import { openMedia } from '../../../features/media/open-media.js';
import { uploadMedia } from '../../../features/media/upload.js';
import { answerFile } from '../../http/files/file-answer.js';
import { receiveFile, takesFiles } from '../../http/files/file-form.js';
import { idempotencyKeyOf } from '../../http/idempotency-key.js';
import { found, notFound, OnePath, pathId } from '../../http/ids.js';
import type { OptionsOf } from '../../http/options-of.js';
import { Id, Timestamp } from '../../http/schemas/values.js';
import { scopeOf } from '../../resources/callers/channel-caller.js';
import { ownedChannel } from '../../resources/callers/owned-channel.js';
import { DoneData, done, okOnce } from '../answers.js';
import { type Endpoints, FILE, MEDIA } from '../endpoint.js';
import { list, listOf } from '../lists.js';

const Media = Type.Object({
  id: Id,
  origin: Type.Unsafe<'uploaded' | 'received'>({
    type: 'string',
    enum: ['uploaded', 'received'],
    description: '`uploaded` by a request, or `received` with a message of a contact.',
  }),
  messageId: Type.Union([Id, Type.Null()], {
    description: 'The message that brought it; null of one that was uploaded.',
  }),
  mimeType: Type.String({
    description: "What its content is; of a file that is still with the channel's carrier, what that says.",
    examples: ['image/jpeg'],
  }),
  size: Type.Union([Type.Integer(), Type.Null()], {
    description: "In bytes; null while it is still with the channel's carrier.",
    examples: [52_431],
  }),
  sha256: Type.Union([Type.String(), Type.Null()], { description: 'In base64.' }),
  filename: Type.Union([Type.String(), Type.Null()], { examples: ['menu.pdf'] }),
  createdAt: Timestamp,
});

export type MediaEndpointOptions = OptionsOf<
  typeof uploadMedia | typeof listMedia | typeof openMedia | typeof deleteMedia
>;

export const mediaEndpoints: Endpoints<MediaEndpointOptions> = async (app, options) => {
  takesFiles(app);

  app.post(
    '/media',
    MEDIA.write({
      operationId: 'uploadMedia',
      idempotent: true,
      takesFile: 'file',
      summary: 'Upload a file that messages can name',
      description:
        'A form (`multipart/form-data`) with one part `file`. The type is what the content says; a Content-Type of the part must agree with it. ' +
        "Meta's types and limits hold: sound and video 16 MB, pictures 5 MB, stickers 100 KB and 500 KB if they move, documents 100 MB. " +
        'Sends name the file by its id, wherever Meta takes an id: `image: {id}`.',
      data: Media,
      errors: [413, 415, 422],
    }),
    async (request, reply) => {
      requireWhatsapp(request.caller.channel);
      const idempotencyKey = idempotencyKeyOf(request);
      const { media, repeated } = await receiveFile(request, 'file', ({ bytes, filename, mimeType }) =>
        uploadMedia(options, scopeOf(request.caller), { bytes, filename, mimeType, idempotencyKey }),
      );
      return okOnce(reply, repeated, writeMedia(media));
    },
  );

  app.get(
    '/media',
    MEDIA.read({
      operationId: 'listMedia',
      summary: 'List the files of the channel',
      description: 'Those that were uploaded, and those that contacts sent; the newest first.',
      ...list('media', Media),
    }),
    ({ query, caller }) => listOf(query, 'media', (page) => listMedia(options, scopeOf(caller), page), writeMedia),
  );

  app.get(
    '/media/:id',
    MEDIA.read({
      operationId: 'getMedia',
      summary: 'Download a file',
      description:
        "Its bytes, or with `Range` a part of them. A contact's file is fetched from the channel's carrier when it is first asked for, and kept; " +
        '410 once the carrier hands it out no more.',
      params: OnePath,
      data: FILE,
      errors: [410, 413],
    }),
    async (request, reply) => {
      const id = pathId(request.params.id, 'media');
      const { media, open } = found(await openMedia(options, ownedChannel(request.caller), id), 'media');
      return answerFile(request, reply, { ...media, open });
    },
  );

  app.delete(
    '/media/:id',
    MEDIA.write({
      operationId: 'deleteMedia',
      summary: 'Delete a file',
      description: 'Messages that name it and were not sent yet will fail, and are refunded.',
      params: OnePath,
      data: DoneData,
    }),
    async ({ params, caller }) => {
      if (!(await deleteMedia(options, scopeOf(caller), pathId(params.id, 'media')))) throw notFound('media');
      return done('The file was deleted.');
    },
  );
};

/** A file as the interface shows it. */
function writeMedia({ id, origin, messageId, mimeType, size, sha256, filename, createdAt }: MediaRow) {
  return { id, origin, messageId, mimeType, size, sha256, filename, createdAt: createdAt.toISOString() };
}
