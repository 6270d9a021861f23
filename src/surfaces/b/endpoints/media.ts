import { Type } from '@sinclair/typebox';
import { requireWhatsapp } from '../../../features/channels/call-carrier.js';
import { deleteMedia } from '../../../features/media/delete.js';
import { listMedia, type MediaRow } from '../../../features/media/media-store.js';
import { openMedia } from '../../../features/media/open-media.js';
import { uploadMedia } from '../../../features/media/upload.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { sendFile } from '../../http/files/file-answer.js';
import { acceptFileForms, receiveFile } from '../../http/files/file-form.js';
import { readIdempotencyKey } from '../../http/idempotency-key.js';
import { OnePath, pathId, requireFound } from '../../http/ids.js';
import { Id, Timestamp } from '../../http/schemas/values.js';
import type { UseCaseOptions } from '../../http/use-case-options.js';
import { channelScope } from '../../resources/callers/channel-caller.js';
import { toOwnedChannel } from '../../resources/callers/owned-channel.js';
import { DoneData, done, okOnce } from '../answers.js';
import { type Endpoints, FILE, MEDIA } from '../endpoint.js';
import { answerList, list } from '../lists.js';

const Media = Type.Object({
  id: Id,
  origin: Type.Unsafe<'uploaded' | 'received'>({
    type: 'string',
    enum: ['uploaded', 'received'],
    description: '`uploaded` through the API, or `received` with an inbound message.',
  }),
  messageId: Type.Union([Id, Type.Null()], {
    description: 'The inbound message that contained it; null for an uploaded file.',
  }),
  mimeType: Type.String({
    description: 'Detected from the content, or reported by the carrier if the file is still stored there.',
    examples: ['image/jpeg'],
  }),
  size: Type.Union([Type.Integer(), Type.Null()], {
    description: 'In bytes; null while the file is still with the carrier.',
    examples: [52_431],
  }),
  sha256: Type.Union([Type.String(), Type.Null()], { description: 'In base64.' }),
  filename: Type.Union([Type.String(), Type.Null()], { examples: ['menu.pdf'] }),
  createdAt: Timestamp,
});

export type MediaEndpointOptions = UseCaseOptions<
  typeof uploadMedia | typeof listMedia | typeof openMedia | typeof deleteMedia
>;

export const mediaEndpoints: Endpoints<MediaEndpointOptions> = async (app, options) => {
  acceptFileForms(app);

  app.post(
    '/media',
    MEDIA.write({
      operationId: 'uploadMedia',
      idempotent: true,
      takesFile: 'file',
      summary: 'Upload a file for use in messages',
      description:
        'A form (`multipart/form-data`) with one part `file`. The type is detected from the content, and the Content-Type of the part, if any, must match it. ' +
        "Meta's types and limits apply: audio and video 16 MB, images 5 MB, stickers 100 KB (animated: 500 KB), documents 100 MB. " +
        'Use the ID of the file in messages wherever Meta accepts an ID, such as `image: {id}`.',
      data: Media,
      errors: [413, 415, 422],
    }),
    async (request, reply) => {
      requireWhatsapp(request.caller.channel);
      const idempotencyKey = readIdempotencyKey(request);
      const { media, repeated } = await receiveFile(request, 'file', ({ bytes, filename, mimeType }) =>
        uploadMedia(options, channelScope(request.caller), { bytes, filename, mimeType, idempotencyKey }),
      );
      return okOnce(reply, repeated, toRecord(media));
    },
  );

  app.get(
    '/media',
    MEDIA.read({
      operationId: 'listMedia',
      summary: 'List the files of the channel',
      description: 'Uploaded files and files from contacts, newest first.',
      ...list('media', Media),
    }),
    ({ query, caller }) =>
      answerList(query, 'media', (page) => listMedia(options, channelScope(caller), page), toRecord),
  );

  app.get(
    '/media/:id',
    MEDIA.read({
      operationId: 'getMedia',
      summary: 'Download a file',
      description:
        "The whole file, or part of it with `Range`. A contact's file is fetched from the carrier on the first request and then stored. " +
        '410 if the carrier no longer provides it.',
      params: OnePath,
      data: FILE,
      errors: [410, 413],
    }),
    async (request, reply) => {
      const id = pathId(request.params.id, 'media');
      const { media, open } = requireFound(await openMedia(options, toOwnedChannel(request.caller), id), 'media');
      return sendFile(request, reply, { ...media, open });
    },
  );

  app.delete(
    '/media/:id',
    MEDIA.write({
      operationId: 'deleteMedia',
      summary: 'Delete a file',
      description: 'Messages that use it and have not been sent yet will fail and be refunded.',
      params: OnePath,
      data: DoneData,
    }),
    async ({ params, caller }) => {
      if (!(await deleteMedia(options, channelScope(caller), pathId(params.id, 'media')))) throw notFound('media');
      return done('The file was deleted.');
    },
  );
};

function toRecord({ id, origin, messageId, mimeType, size, sha256, filename, createdAt }: MediaRow) {
  return { id, origin, messageId, mimeType, size, sha256, filename, createdAt: createdAt.toISOString() };
}
